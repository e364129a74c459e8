import type en from '../en/connections.ts'
import type { Translation } from '../translation.ts'

export default {} satisfies Translation<typeof en>
