import messages from '../en/chats.ts'
import { toPseudo } from './to-pseudo.ts'

export default toPseudo(messages)
