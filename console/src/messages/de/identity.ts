import type en from '../en/identity.ts'
import type { Translation } from '../translation.ts'

export default {} satisfies Translation<typeof en>
