import { configureRun } from '../vitest.config.ts'

const { test, ...config } = configureRun('outages', { include: ['tests/outages/**/*.test.ts'] })

/** These tests start their own databases, which fail. */
export default { ...config, test: { ...test, globalSetup: [], setupFiles: [] } }
