import { compareOperations, OPERATIONS } from './compare-envelope.ts'
import { isChange } from './cover-operations.ts'

compareOperations(OPERATIONS.filter(isChange))
