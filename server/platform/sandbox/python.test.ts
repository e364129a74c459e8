import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callOf, codeOf, openTestSandbox } from '#tests/support/sandbox.ts'
import type { SandboxCall, SandboxCode } from './sandbox.ts'

/** What Python can be, how it is called and what comes back. */

const { sandbox, run, close } = openTestSandbox()
const never = new AbortController().signal
// Python's snapshot may have to be made.
beforeAll(() => run('python', 'def main(): pass'), 120_000)
afterAll(close)

const RESULTS: [what: string, code: string, output: unknown, more?: Partial<SandboxCall>][] = [
  ['a function, by keywords', 'def main(a, *, b=2): return a + b', 3, { input: { a: 1 } }],
  [
    'an async function',
    'import asyncio\nasync def main():\n  return await asyncio.gather(*[one(n) for n in range(3)])\nasync def one(n):\n  await asyncio.sleep(0.01)\n  return n',
    [0, 1, 2],
  ],
  [
    'asyncio.run in a plain function',
    'import asyncio\ndef main():\n  async def one(): return 5\n  return asyncio.run(one())',
    5,
  ],
  ['the configuration', 'def main(): return config["key"]', 'k', { config: { key: 'k' } }],
  ['no result', 'def main(): pass', null],
  [
    'records, dates, sets',
    'from dataclasses import dataclass\nimport datetime\n@dataclass\nclass Item:\n  a: int\ndef main(): return [Item(1), datetime.date(2026, 1, 2), {3}, b"x"]',
    [{ a: 1 }, '2026-01-02', [3], 'x'],
  ],
  [
    'the standard library',
    'import re, math, hashlib, statistics\ndef main(): return [re.sub("a", "b", "aa"), math.floor(1.5), hashlib.sha256(b"").hexdigest()[:6], statistics.mean([1, 3])]',
    ['bb', 1, 'e3b0c4', 2],
  ],
]
test.each(RESULTS)('%s', async (_what, code, output, more) => {
  expect(await run('python', code, more as never)).toMatchObject({ ok: true, output })
})

const FAILURES: [what: string, code: string, error: RegExp][] = [
  [
    'an error, with its place',
    'def main():\n  return 1 / 0',
    /^ZeroDivisionError: division by zero\n\s+File "tool.py", line 2, in main/,
  ],
  ['code that is no Python', 'def main(:\n  pass', /line 1.*SyntaxError/s],
  ['a name that is not there', 'def other(): pass', /^The code has no function named main\.$/],
  ['a class instead of a function', 'class main: pass', /^main is not a function\.$/],
  ['inputs that it does not take', 'def main(a): pass', /missing 1 required positional argument: 'a'/],
  ['a result that is no JSON', 'def main(): return float("nan")', /ValueError: Out of range float values/],
  ['leaving', 'import sys\ndef main(): sys.exit(3)', /SystemExit/],
  [
    'what never comes',
    'import asyncio\nasync def main(): await asyncio.Event().wait()',
    /waits for something that never comes/,
  ],
]
test.each(FAILURES)('%s is told', async (_what, code, error) => {
  const outcome = await run('python', code)
  expect(outcome).toMatchObject({ ok: false, reason: 'failed' })
  expect(outcome.ok ? '' : outcome.error).toMatch(error)
})

test('what is printed comes along, and no two calls get the same random numbers', async () => {
  const code =
    'import random, sys\ndef main():\n  print("a", 1)\n  print("é", file=sys.stderr)\n  return random.random()'
  const [one, other] = await Promise.all([run('python', code), run('python', code)])
  expect(one).toMatchObject({ ok: true, printed: 'a 1\né\n' })
  expect(one.ok && other.ok && one.output !== other.output).toBe(true)
})

describe('a class', () => {
  const code = `
class Base:
    def inherited(self): return "base"
class Shop(Base):
    """Sells."""
    def __init__(self, key, limit=1): self.key = (key, limit)
    def find(self, query: str, limit: int = 5, tags: list[str] | None = None, **rest):
        """Finds things."""
        return [self.key, query, limit, config["other"]]
    async def later(self, where: dict, exact: bool, price: float): return 1
    @staticmethod
    def fixed(a: "str"): return a
    def _hidden(self): return "hidden"
    field = 5
`
  const shop = codeOf('python', code, { name: 'Shop', isClass: true })
  const call = (method: string, input: Record<string, unknown> = {}) =>
    sandbox.run('one', callOf(shop, { method, input, config: { key: 'k', other: 'o' } }), never)

  test('is made with what it takes of the configuration', async () => {
    expect(await call('find', { query: 'q', x: 1 })).toMatchObject({
      ok: true,
      output: [['k', 1], 'q', 5, 'o'],
    })
    expect(await call('later', { where: {}, exact: true, price: 1 })).toMatchObject({ ok: true, output: 1 })
    expect(await call('fixed', { a: 'a' })).toMatchObject({ ok: true, output: 'a' })
  })

  test.each(['_hidden', '__init__', 'field', 'nothing'])('%s is none of its methods', async (method) => {
    expect(await call(method)).toMatchObject({
      ok: false,
      error: `The class Shop has no public method ${method}.`,
    })
  })

  test('is told without being made', async () => {
    const found = await sandbox.inspect('one', shop)
    const required = { required: true }
    expect(found).toEqual({
      functions: [
        {
          name: 'find',
          description: 'Finds things.',
          isAsync: false,
          takesAny: true,
          parameters: [
            { name: 'query', type: 'str', ...required },
            { name: 'limit', type: 'int', required: false, default: 5 },
            { name: 'tags', type: 'list', required: false, default: null },
          ],
        },
        {
          name: 'fixed',
          description: '',
          isAsync: false,
          takesAny: false,
          parameters: [{ name: 'a', type: 'str', ...required }],
        },
        { name: 'inherited', description: '', isAsync: false, takesAny: false, parameters: [] },
        {
          name: 'later',
          description: '',
          isAsync: true,
          takesAny: false,
          parameters: [
            { name: 'where', type: 'dict', ...required },
            { name: 'exact', type: 'bool', ...required },
            { name: 'price', type: 'float', ...required },
          ],
        },
      ],
    })
  })
})

const WRONG: [what: string, code: Partial<SandboxCode>, error: RegExp][] = [
  ['a syntax error', { code: 'def main(:' }, /SyntaxError/],
  ['a function instead of a class', { code: 'def main(): pass', isClass: true }, /^main is not a class\.$/],
  ['a class without methods', { code: 'class main: pass', isClass: true }, /no public methods/],
]
test.each(WRONG)('an inspection tells %s', async (_what, code, error) => {
  const found = await sandbox.inspect('one', codeOf('python', '', code))
  expect('error' in found && found.error).toMatch(error)
})
