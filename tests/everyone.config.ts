import { configureRun } from '../vitest.config.ts'
import { EVERYONE } from './tiers.ts'

/** `npm test`: on the embedded database, also where PostgreSQL is installed. */
process.env['PARLEY_TEST_DATABASE'] = 'embedded'
export default configureRun('everyone', EVERYONE)
