export { BrowserSession } from './session.ts'
export { upload } from './upload.ts'
