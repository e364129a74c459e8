import { hostileFiles } from './hostile-files.ts'
import { testRow } from './test-row.ts'

testRow(hostileFiles)
