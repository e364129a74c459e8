import type en from '../en/markdown.ts'
import type { Translation } from '../translation.ts'

export default {} satisfies Translation<typeof en>
