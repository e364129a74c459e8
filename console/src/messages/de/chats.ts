import chat from './chat.ts'
import errors from './errors.ts'
import markdown from './markdown.ts'
import picker from './picker.ts'

export default { chat, errors, markdown, picker }
