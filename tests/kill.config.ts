import { mergeConfig } from 'vitest/config'
import config from '../vitest.config.ts'

export default mergeConfig(
  { ...config, test: { ...config.test, projects: undefined } },
  { test: { root: '.', include: ['tests/kill/**/*.test.ts'], testTimeout: 60_000 } },
)
