import type en from '../en/tools.ts'
import type { Translation } from '../translation.ts'

export default {} satisfies Translation<typeof en>
