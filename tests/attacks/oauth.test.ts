import { oauth } from './oauth.ts'
import { testRow } from './test-row.ts'

testRow(oauth)
