import type en from '../en/billing.ts'
import type { Translation } from '../translation.ts'

export default {} satisfies Translation<typeof en>
