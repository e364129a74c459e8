import { afterAll, expect, test } from 'vitest'
import { callOf, codeOf, openTestSandbox } from '#tests/support/sandbox.ts'
import type { SandboxCode } from './sandbox.ts'

/** Tests calls of Python classes, and the inspection of Python code. */

const { sandbox, close } = openTestSandbox()
const never = new AbortController().signal
afterAll(close)

const CODE = `
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
const shop = codeOf('python', CODE, { name: 'Shop', isClass: true })
const call = (method: string, input: Record<string, unknown> = {}) =>
  sandbox.run('one', callOf(shop, { method, input, config: { key: 'k', other: 'o' } }), never)

// Long timeout: the first run may have to create Python's snapshot.
test('a class is created with the configuration that it accepts', async () => {
  expect(await call('find', { query: 'q', x: 1 })).toMatchObject({
    ok: true,
    output: [['k', 1], 'q', 5, 'o'],
  })
  expect(await call('later', { where: {}, exact: true, price: 1 })).toMatchObject({ ok: true, output: 1 })
  expect(await call('fixed', { a: 'a' })).toMatchObject({ ok: true, output: 'a' })
}, 120_000)

test.each(['_hidden', '__init__', 'field', 'nothing'])(
  'a class has no callable method %s',
  async (method) => {
    expect(await call(method)).toMatchObject({
      ok: false,
      error: `The class Shop has no public method ${method}. Add it to the class.`,
    })
  },
)

test('a class is inspected without being created', async () => {
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

const WRONG: [what: string, code: Partial<SandboxCode>, error: RegExp][] = [
  ['a syntax error', { code: 'def main(:' }, /SyntaxError/],
  [
    'a function instead of a class',
    { code: 'def main(): pass', isClass: true },
    /^main is not a class\. Define it as a class\.$/,
  ],
  ['a class without methods', { code: 'class main: pass', isClass: true }, /no public methods/],
]
test.each(WRONG)('an inspection reports %s', async (_what, code, error) => {
  const found = await sandbox.inspect('one', codeOf('python', '', code))
  expect('error' in found && found.error).toMatch(error)
})
