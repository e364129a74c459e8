import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { CONFORMANCE_PROGRAM } from '#tests/clients/programs.ts'

/**
 * Authorization scenarios that the suite `auth` doesn't include: those of 2025-03-26, and the drafts. Omits the
 * scenarios of MCP's extensions (client credentials, cross-app access), which involve no consent and aren't supported.
 */
const FURTHER = [
  'auth/2025-03-26-oauth-metadata-backcompat',
  'auth/2025-03-26-oauth-endpoint-fallback',
  'auth/resource-mismatch',
  'auth/offline-access-scope',
  'auth/offline-access-not-supported',
]
/** Long, because the suite starts all its clients concurrently. */
const TIMEOUT_MS = 120_000

test('the conformance suite of clients: auth', { timeout: TIMEOUT_MS }, async () => {
  expect(await play(['--suite', 'auth'])).toMatch(/Total: \d{3} passed, 0 failed, 0 warnings/)
})

test.each(FURTHER)('the conformance suite of clients: %s', { timeout: TIMEOUT_MS }, async (scenario) => {
  const said = await play(['--scenario', scenario])
  expect(said.slice(said.lastIndexOf('Test Results:'))).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/)
})

/** Returns the suite's output, even if it fails. */
async function play(options: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  // Some thirty processes load the same modules, so they share the command line's compile cache.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') }
  const command = `${process.execPath} tests/support/mcp/conformance-auth-client.ts`
  const common = ['client', '--command', command, '--timeout', String(TIMEOUT_MS), '-o', folder]
  return new Promise((resolve) =>
    execFile(
      process.execPath,
      [CONFORMANCE_PROGRAM, ...common, ...options],
      { env },
      (_error, stdout, stderr) => resolve(stdout + stderr),
    ),
  )
}
