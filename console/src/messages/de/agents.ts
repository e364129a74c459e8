import type en from '../en/agents.ts'
import type { Translation } from '../translation.ts'

export default {} satisfies Translation<typeof en>
