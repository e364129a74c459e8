import type en from '../en/home.ts'
import type { Translation } from '../translation.ts'

export default {} satisfies Translation<typeof en>
