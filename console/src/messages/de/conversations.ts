import type en from '../en/conversations.ts'
import type { Translation } from '../translation.ts'

export default {} satisfies Translation<typeof en>
