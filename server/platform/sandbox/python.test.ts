import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestSandbox } from '#tests/support/sandbox.ts'
import type { SandboxOutcome } from './sandbox.ts'

/** Tests forms of Python functions, ways to call them, and results. */

const { run, close } = openTestSandbox()
afterAll(close)

// Long timeout: the first run may have to create Python's snapshot.
test('a function without a result returns null', async () => {
  expect(await run('python', 'def main(): pass')).toMatchObject({ ok: true, output: null })
}, 120_000)

describe('a function', () => {
  const PLAIN = `
import asyncio, datetime, hashlib, math, os, random, re, statistics, sys
from dataclasses import dataclass
@dataclass
class Item:
  a: int
async def one(): return 5
def main(a, *, b=2):
  print("a", 1)
  print("é", file=sys.stderr)
  return {
    "keywords": a + b,
    "run": asyncio.run(one()),
    "config": config["key"],
    "values": [Item(1), datetime.date(2026, 1, 2), {3}, b"x"],
    "library": [re.sub("a", "b", "aa"), math.floor(1.5), hashlib.sha256(b"").hexdigest()[:6], statistics.mean([1, 3])],
    "random": [random.random(), os.urandom(8).hex()],
  }`
  const ASYNC = `
import asyncio, os, random
async def main(): return [await asyncio.gather(*[one(n) for n in range(3)]), [random.random(), os.urandom(8).hex()]]
async def one(n):
  await asyncio.sleep(0.01)
  return n`
  let plain: SandboxOutcome
  let later: SandboxOutcome
  beforeAll(async () => {
    ;[plain, later] = await Promise.all([
      run('python', PLAIN, { input: { a: 1 }, config: { key: 'k' } }),
      run('python', ASYNC),
    ])
  })

  test.each([
    ['is called with keyword arguments', 'keywords', 3],
    ['may use asyncio.run', 'run', 5],
    ['gets the configuration', 'config', 'k'],
    ['can return records, dates and sets', 'values', [{ a: 1 }, '2026-01-02', [3], 'x']],
    ['can use the standard library', 'library', ['bb', 1, 'e3b0c4', 2]],
  ])('%s', (_what, key, value) => {
    expect(plain).toMatchObject({ ok: true, output: { [key]: value } })
  })

  test('may be async', () => {
    expect(later).toMatchObject({ ok: true, output: [[0, 1, 2], expect.any(Array)] })
  })

  test('can print', () => {
    expect(plain).toMatchObject({ ok: true, printed: 'a 1\né\n' })
  })

  test('gets random numbers of its own', () => {
    const ofPlain = (plain.ok ? plain.output : {}) as Record<string, unknown[]>
    const ofLater = (later.ok ? later.output : []) as unknown[][]
    const numbers = [...(ofPlain['random'] ?? []), ...(ofLater[1] ?? [])]
    expect(numbers).toHaveLength(4)
    expect(new Set(numbers).size).toBe(4)
  })
})

test('a call sees nothing of an earlier call', async () => {
  const code = `
import builtins, os
def main():
  seen = [hasattr(builtins, "left"), os.path.exists("/tmp/left")]
  builtins.left = True
  open("/tmp/left", "w").close()
  return seen`
  for (let calls = 0; calls < 2; calls++)
    expect(await run('python', code)).toMatchObject({ ok: true, output: [false, false] })
})

const FAILURES: [what: string, code: string, error: RegExp][] = [
  [
    'an error with its line',
    'def main():\n  return 1 / 0',
    /^ZeroDivisionError: division by zero\n\s+File "tool.py", line 2, in main/,
  ],
  ['a syntax error', 'def main(:\n  pass', /line 1.*SyntaxError/s],
  ['a missing function', 'def other(): pass', /^The code has no function named main\. Define it\.$/],
  [
    'a class instead of a function',
    'class main: pass',
    /^main is not a function\. Define it as a function\.$/,
  ],
  ['a missing argument', 'def main(a): pass', /missing 1 required positional argument: 'a'/],
  ['a result that is no data', 'def main(): return object()', /an object of the type object/],
  ['a call to exit', 'import sys\ndef main(): sys.exit(3)', /SystemExit/],
  [
    'an await that never ends',
    'import asyncio\nasync def main(): await asyncio.Event().wait()',
    /waits for something that never happens/,
  ],
]
test.each(FAILURES)('%s is reported', async (_what, code, error) => {
  const outcome = await run('python', code)
  expect(outcome).toMatchObject({ ok: false, reason: 'failed' })
  expect(outcome.ok ? '' : outcome.error).toMatch(error)
})
