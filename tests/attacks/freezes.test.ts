import { freezes } from './freezes.ts'
import { testRow } from './test-row.ts'

testRow(freezes)
