import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { constants, getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callOf, codeOf, denoProcesses, openTestSandbox, SANDBOX_DATA } from '#tests/support/sandbox.ts'
import { SandboxUnavailable } from './sandbox.ts'

/** Tests that a sandbox leaves nothing behind except Python's snapshot. */

const ENDLESS = callOf(codeOf('javascript', 'function main() { for (;;); }'))
const BELOW_NORMAL = constants.priority.PRIORITY_BELOW_NORMAL
const dataDir = mkdtempSync(join(tmpdir(), 'parley-test-'))
beforeAll(async () => {
  // Create the shared snapshot now, so that no process that creates it is counted later.
  const { run, close } = openTestSandbox()
  await run('python', 'def main(): pass')
  await close()
}, 120_000)
afterAll(() => rmSync(dataDir, { recursive: true }))

test('an unused sandbox starts no process and writes no file', async () => {
  const before = denoProcesses().length
  const { sandbox, close } = openTestSandbox({}, { dataDir })
  expect(await sandbox.checkRequirements('python', ['a'])).toMatch(/not one of the packages/)
  expect(denoProcesses()).toHaveLength(before)
  expect(readdirSync(dataDir)).toEqual([])
  await close()
})

test('an aborted call rejects with its reason, and its process ends', async () => {
  const { sandbox, close } = openTestSandbox({ clockMs: 60_000, warm: 2 })
  await sandbox.run('one', callOf(codeOf('javascript', 'function main() {}')), new AbortController().signal)
  const leaving = new AbortController()
  const running = sandbox.run('one', ENDLESS, leaving.signal)
  setTimeout(() => leaving.abort(new Error('gone')), 300)
  await expect(running).rejects.toThrow('gone')
  await expect(sandbox.run('one', ENDLESS, AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  await close()
  await expect(sandbox.run('one', ENDLESS, new AbortController().signal)).rejects.toThrow(SandboxUnavailable)
})

test.each([
  ['javascript', 'function main() { for (;;); }'],
  ['python', 'def main():\n  while True: pass'],
] as const)(
  'calls yield to the server (%s)',
  async (language, code) => {
    const before = new Set(denoProcesses())
    const { sandbox, close } = openTestSandbox({ clockMs: 60_000 })
    const leaving = new AbortController()
    const running = sandbox.run('one', callOf(codeOf(language, code)), leaving.signal)
    running.catch(() => {})
    await expect
      .poll(() => denoProcesses().filter((pid) => !before.has(pid) && priorityOf(pid) === BELOW_NORMAL))
      .toHaveLength(1)
    leaving.abort(new Error('gone'))
    await expect(running).rejects.toThrow('gone')
    await close()
  },
  120_000,
)

test.each([
  ['javascript', 'function main() { return 1 }'],
  ['python', 'def main(): return 1'],
] as const)(
  'idle processes end (%s)',
  async (language, code) => {
    const before = new Set(denoProcesses())
    const { run, close } = openTestSandbox({ idleMs: 300, warm: 2 })
    expect(await run(language, code)).toMatchObject({ ok: true, output: 1 })
    await expect.poll(() => denoProcesses().filter((pid) => !before.has(pid))).toEqual([])
    expect(await run(language, code)).toMatchObject({ ok: true, output: 1 })
    await close()
    expect(denoProcesses().filter((pid) => !before.has(pid))).toEqual([])
  },
  120_000,
)

test('a preparation ends when the sandbox closes', async () => {
  const before = denoProcesses().length
  const { sandbox, close } = openTestSandbox({}, { dataDir: join(dataDir, 'closed') })
  const preparing = sandbox.prepare()
  await expect.poll(() => denoProcesses().length).toBeGreaterThan(before)
  await close()
  await preparing
  await expect.poll(() => denoProcesses().length).toBe(before)
})

test('a preparation rebuilds a broken snapshot and removes an old one', async () => {
  const folder = join(dataDir, 'sandbox')
  cpSync(join(SANDBOX_DATA, 'sandbox'), folder, { recursive: true })
  const names = readdirSync(folder).filter((file) => file.endsWith('.snapshot'))
  for (const name of names) writeFileSync(join(folder, name), Buffer.alloc(1_000))
  const old = join(folder, 'python-old.snapshot')
  writeFileSync(old, '')
  utimesSync(old, 0, 0)
  const { sandbox, run, close } = openTestSandbox({ warm: 2 }, { dataDir })
  await sandbox.prepare()
  const sizes = names.map((name) => statSync(join(folder, name)).size)
  expect(sizes.filter((size) => size > 10_000_000)).toHaveLength(1)
  expect(existsSync(old)).toBe(false)
  expect(await run('python', 'def main(): return 1')).toMatchObject({ ok: true, output: 1 })
  await close()
}, 120_000)

function priorityOf(pid: number): number | null {
  try {
    return getPriority(pid)
  } catch {
    return null // The process has ended.
  }
}
