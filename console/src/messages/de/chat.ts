import type en from '../en/chat.ts'
import type { Translation } from '../translation.ts'

export default {} satisfies Translation<typeof en>
