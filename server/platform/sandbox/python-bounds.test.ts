import { afterAll, expect, test } from 'vitest'
import { openTestSandbox } from '#tests/support/sandbox.ts'

/** Tests Python code that exceeds limits. */

/** The timeout is long enough that memory always runs out first, even on a busy machine. */
const { run, close } = openTestSandbox({ clockMs: 60_000 })
afterAll(() => close())

// Long timeout: the first run may have to create Python's snapshot.
test('an endless loop ends at the timeout, while the server responds', async () => {
  const hasty = openTestSandbox({ clockMs: 1_000 })
  const endless = hasty.run('python', 'def main():\n  while True: pass')
  expect(await run('javascript', 'function main() { return 1 }')).toMatchObject({ ok: true, output: 1 })
  expect(await endless).toMatchObject({ ok: false, reason: 'timeout' })
  await hasty.close()
}, 120_000)

test('a call that allocates 5 GB ends', async () => {
  const outcome = await run(
    'python',
    'def main():\n  kept = []\n  for _ in range(50): kept.append(bytearray(100_000_000))\n  return len(kept)',
  )
  expect(outcome).toMatchObject({ ok: false, reason: 'memory' })
}, 70_000)

test('a call that prints 300 MB ends, and 64 KB are kept', async () => {
  const outcome = await run('python', 'def main():\n  for _ in range(300): print("x" * 1_000_000)')
  expect(outcome.ok || outcome.reason).toBe('output')
  expect(outcome.printed.slice(-60)).toMatch(/x\n\[\d{9} more characters omitted\]$/)
})

test('a result of more than 1 MB is refused', async () => {
  expect(await run('python', 'def main(): return "x" * 1_000_000')).toMatchObject({
    ok: false,
    reason: 'output',
  })
})
