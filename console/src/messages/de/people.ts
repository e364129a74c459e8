import type en from '../en/people.ts'
import type { Translation } from '../translation.ts'

export default {} satisfies Translation<typeof en>
