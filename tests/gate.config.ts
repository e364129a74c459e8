import { configureRun } from '../vitest.config.ts'
import { GATE } from './tiers.ts'

/** `npm run test:gate`: fails without PostgreSQL (scripts/get-postgres.sh). */
process.env['PARLEY_TEST_DATABASE'] = 'postgres'
export default configureRun('gate', GATE)
