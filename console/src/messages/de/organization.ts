import type en from '../en/organization.ts'
import type { Translation } from '../translation.ts'

export default {} satisfies Translation<typeof en>
