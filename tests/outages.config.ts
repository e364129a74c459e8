import { mergeConfig } from 'vitest/config'
import config from '../vitest.config.ts'

export default mergeConfig(
  { ...config, test: { ...config.test, projects: undefined, globalSetup: [], setupFiles: [] } },
  { test: { root: '.', include: ['tests/outages/**/*.test.ts'], testTimeout: 90_000 } },
)
