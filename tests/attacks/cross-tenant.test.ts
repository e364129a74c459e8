import { crossTenant } from './cross-tenant.ts'
import { testRow } from './test-row.ts'

testRow(crossTenant)
