import { forgedTokens } from './forged-tokens.ts'
import { testRow } from './test-row.ts'

testRow(forgedTokens)
