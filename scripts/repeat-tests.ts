import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import process from 'node:process'
import { parseArgs } from 'node:util'
import type { RunReport } from '../tests/support/report-run.ts'

/*
 * `node scripts/repeat-tests.ts --times 3 --beside 2 [--tier gate]`: runs a tier of the tests several times, beside
 * processes that keep a core busy each, and names every test that was not green each time (docs/testing.md). Arguments
 * after `--` are passed to Vitest.
 */

/** The command of each tier, which writes .cache/test-run-<tier>.json. */
const COMMANDS = { everyone: ['test'], gate: ['run', 'test:gate'] }

/** Keeps a core busy until the process that started it ends. */
const BUSY =
  'const { ppid } = process; for (let n = 1; ; n++) if (n % 1e7 === 0 && process.ppid !== ppid) process.exit()'

const { values, positionals } = parseArgs({
  options: {
    times: { type: 'string', default: '3' },
    beside: { type: 'string', default: '2' },
    tier: { type: 'string', default: 'everyone' },
  },
  allowPositionals: true,
})
const command = COMMANDS[values.tier as keyof typeof COMMANDS]
if (!command) throw new Error(`--tier must be one of: ${Object.keys(COMMANDS).join(', ')}`)

const reportPath = `.cache/test-run-${values.tier}.json`
const failures = new Map<string, number>()
for (let count = 0; count < Number(values.beside); count++)
  spawn(process.execPath, ['-e', BUSY], { stdio: 'ignore' })

for (let round = 1; round <= Number(values.times); round++) {
  rmSync(reportPath, { force: true })
  const begun = performance.now()
  const { status } = spawnSync('npm', [...command, '--silent', '--', ...positionals], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const failed = failedIn(reportPath, status)
  for (const test of failed) failures.set(test, (failures.get(test) ?? 0) + 1)
  const seconds = Math.round((performance.now() - begun) / 1_000)
  console.log(`Round ${round}: ${seconds} s, ${failed.length} not green`)
}
for (const [test, count] of failures) console.log(`${count} of ${values.times}: ${test}`)
process.exit(failures.size === 0 ? 0 : 1)

/** Returns the tests of a run that failed. A run that failed without one counts as one itself. */
function failedIn(path: string, status: number | null): string[] {
  try {
    const { failed } = JSON.parse(readFileSync(path, 'utf8')) as RunReport
    return failed.length === 0 && status !== 0 ? [`the run itself, with exit code ${status}`] : failed
  } catch {
    return ['the run itself, which wrote no report']
  }
}
