import { sandboxEscapes } from './sandbox-escapes.ts'
import { testRow } from './test-row.ts'

testRow(sandboxEscapes)
