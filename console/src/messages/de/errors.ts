import type { ErrorMessages } from '../translation.ts'

export default {} satisfies ErrorMessages
