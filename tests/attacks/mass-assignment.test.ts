import { massAssignment } from './mass-assignment.ts'
import { testRow } from './test-row.ts'

testRow(massAssignment)
