import { defineConfig } from 'vitest/config'
import { ReportRun } from './tests/support/report-run.ts'

/** Journeys through each group of screens; all others take three minutes more: `npm run test:console`. */
const JOURNEYS =
  'tests/console/{agents,chat,chunks,connections,deployments,identity,knowledge,members,start}.test.ts'
const NOT_HERE = ['**/node_modules/**', 'bench/**']
/** These measure the memory of their process, or count the processes that it has started: each has one to itself. */
const ALONE = [
  'tests/faults/unread-answers.test.ts',
  'server/platform/sandbox/{lifecycle,javascript-attacks,python-attacks,python-bounds}.test.ts',
]

export default defineConfig({
  test: {
    reporters: ['default', new ReportRun('.cache/test-run.json')],
    globalSetup: ['tests/support/global-setup.ts'],
    setupFiles: ['tests/support/fail-unproven.ts'],
    pool: 'forks',
    // Optimizing the WebAssembly of the embedded database takes more CPU time than a test saves.
    execArgv: ['--liftoff-only'],
    // Tests wait for a third of their time, so three workers keep two cores busy.
    maxWorkers: 3,
    // Far beyond what anything takes: a limit ends what hangs, and never a test on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 40_000, interval: 25 } },
    // Most files share what their worker has loaded and warmed, which would else be two fifths of what a file takes, and
    // many its server with default settings (support/server.ts). Others have a server and a database each.
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: [
            'server/**/*.test.ts',
            'tests/{attacks,client,contract,deploy,examples,faults,house,journeys,tenancy,widget}/**/*.test.ts',
            'packages/*/src/**/*.test.ts',
            JOURNEYS,
            'console/src/**/*.test.{ts,tsx}',
          ],
          exclude: [...NOT_HERE, ...ALONE],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE, exclude: NOT_HERE } },
    ],
  },
})
