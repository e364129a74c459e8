import { configureRun } from '../vitest.config.ts'

export default configureRun('kill', { include: ['tests/kill/**/*.test.ts'] })
