import chat from './chat.ts'
import errors from './errors.ts'
import markdown from './markdown.ts'

export default { chat, errors, markdown }
