import { defineConfig } from 'vitest/config'
import { ReportRun } from './tests/support/report-run.ts'
import { ALL, type Tier } from './tests/tiers.ts'

const ELSEWHERE = ['**/node_modules/**', 'bench/**']

/** Returns the configuration of a run of these files. Its results are in .cache/test-run-<name>.json. */
export const configureRun = (name: string, { include, exclude = [], alone = [] }: Tier) =>
  defineConfig({
    test: {
      root: import.meta.dirname,
      reporters: ['default', new ReportRun(`.cache/test-run-${name}.json`)],
      globalSetup: ['tests/support/global-setup.ts'],
      setupFiles: ['tests/support/fail-unproven.ts'],
      pool: 'forks',
      // Optimizing the WebAssembly of the embedded database takes more CPU time than a test saves.
      execArgv: ['--liftoff-only'],
      // Tests wait for half of their time, so four workers keep two cores busy.
      maxWorkers: 4,
      // Far beyond what anything takes: a limit ends what hangs, and never a test on a busy machine.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 60_000, interval: 25 } },
      // Most files share what their worker has loaded and warmed, which would else be two fifths of what a file takes, and
      // many its server with default settings (support/server.ts). Others have a server and a database each.
      projects: [
        {
          extends: true,
          test: { name: 'together', include, exclude: [...ELSEWHERE, ...exclude, ...alone], isolate: false },
        },
        ...(alone.length > 0
          ? [{ extends: true as const, test: { name: 'alone', include: alone, exclude: ELSEWHERE } }]
          : []),
      ],
    },
  })

export default configureRun('all', ALL)
