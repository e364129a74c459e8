import { cheapDenial } from './cheap-denial.ts'
import { testRow } from './test-row.ts'

testRow(cheapDenial)
