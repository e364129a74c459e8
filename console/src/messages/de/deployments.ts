import type en from '../en/deployments.ts'
import type { Translation } from '../translation.ts'

export default {} satisfies Translation<typeof en>
