import messages from '../en/rest.ts'
import { toPseudo } from './to-pseudo.ts'

export default toPseudo(messages)
