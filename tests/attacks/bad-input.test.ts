import { badInput } from './bad-input.ts'
import { testRow } from './test-row.ts'

testRow(badInput)
