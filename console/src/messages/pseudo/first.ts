import messages from '../en/first.ts'
import { toPseudo } from './to-pseudo.ts'

export default toPseudo(messages)
