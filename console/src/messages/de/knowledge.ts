import type en from '../en/knowledge.ts'
import type { Translation } from '../translation.ts'

export default {} satisfies Translation<typeof en>
