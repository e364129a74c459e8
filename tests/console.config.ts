import { mergeConfig } from 'vitest/config'
import config from '../vitest.config.ts'

/** All journeys through the console. */
export default mergeConfig(
  { ...config, test: { ...config.test, projects: undefined } },
  {
    test: {
      root: '.',
      include: ['tests/console/**/*.test.ts'],
      isolate: false,
      hookTimeout: 120_000,
    },
  },
)
