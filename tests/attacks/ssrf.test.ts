import { ssrf } from './ssrf.ts'
import { testRow } from './test-row.ts'

testRow(ssrf)
