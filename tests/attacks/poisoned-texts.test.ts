import { poisonedTexts } from './poisoned-texts.ts'
import { testRow } from './test-row.ts'

testRow(poisonedTexts)
