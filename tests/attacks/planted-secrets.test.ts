import { plantedSecrets } from './planted-secrets.ts'
import { testRow } from './test-row.ts'

testRow(plantedSecrets)
