import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mergeConfig } from 'vitest/config'
import { configureRun } from '../vitest.config.ts'

export default mergeConfig(
  configureRun('more-clients', {
    include: ['tests/more-clients/*.test.ts', 'tests/journeys/recorded-clients.test.ts'],
  }),
  {
    test: {
      env: {
        PROMPTFOO_CONFIG_DIR: join(tmpdir(), 'parley-promptfoo'),
        PROMPTFOO_DISABLE_TELEMETRY: '1',
        PROMPTFOO_DISABLE_UPDATE: '1',
        MASTRA_TELEMETRY_DISABLED: '1',
      },
    },
  },
)
