import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { CONFORMANCE_PROGRAM } from '#tests/clients/programs.ts'

/** The scenarios of the suite `core` that don't concern authorization. */
const SCENARIOS = ['initialize', 'tools_call', 'sse-retry', 'elicitation-sep1034-client-defaults']

test.each(SCENARIOS)('the conformance suite of clients: %s', async (scenario) => {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const command = `${process.execPath} tests/support/mcp/conformance-client.ts`
  const said = await run(['client', '--command', command, '--scenario', scenario, '-o', folder])
  // On a busy machine a reconnection may be late, which the suite accepts.
  expect(said.slice(said.lastIndexOf('Test Results:'))).toMatch(
    /Passed: (\d+)\/\1, 0 failed, (0 warnings|1 warnings[\s\S]*reconnected slightly late)/,
  )
})

/** Returns the suite's output, even if it fails. */
const run = (options: string[]): Promise<string> =>
  new Promise((resolve) =>
    execFile(process.execPath, [CONFORMANCE_PROGRAM, ...options], (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    ),
  )
