import type en from '../en/playground.ts'
import type { Translation } from '../translation.ts'

export default {} satisfies Translation<typeof en>
