import { coverOperations, isChange, OPERATIONS } from './cover-operations.ts'

coverOperations(OPERATIONS.filter(isChange))
