import { afterAll, describe, expect, test } from 'vitest'
import { callOf, codeOf, openTestSandbox } from '#tests/support/sandbox.ts'
import type { Language, SandboxCall, SandboxCode } from './sandbox.ts'

/** Tests forms of JavaScript and TypeScript code, ways to call the code, and results. */

const { sandbox, run, close } = openTestSandbox({ clockMs: 10_000 })
afterAll(close)
const never = new AbortController().signal

const RESULTS: [
  what: string,
  language: Language,
  code: string,
  output: unknown,
  more?: Partial<SandboxCall>,
][] = [
  [
    'an exported function',
    'javascript',
    'export function main({ a }) { return a + 1 }',
    3,
    { input: { a: 2 } },
  ],
  [
    'a top-level function',
    'javascript',
    'function main(input) { return input }',
    { a: [1] },
    { input: { a: [1] } },
  ],
  [
    'an async function',
    'javascript',
    'export const main = async () => { await new Promise((go) => setTimeout(go, 5)); return 1 }',
    1,
  ],
  ['an export under another name', 'javascript', 'const other = () => 7; export { other as main }', 7],
  [
    'types and an enum',
    'typescript',
    'enum Kind { Low = 4 }\nfunction main({ a }: { a: number }): number { return Kind.Low + a }',
    6,
    { input: { a: 2 } },
  ],
  [
    'a configuration',
    'javascript',
    'const main = () => config.key + globalThis.config.key',
    'kk',
    { config: { key: 'k' } },
  ],
  ['no result', 'javascript', 'function main() {}', null],
  [
    'values that JSON omits',
    'javascript',
    'function main() { return { a: undefined, b: new Date(0), c: NaN } }',
    { b: '1970-01-01T00:00:00.000Z', c: 'NaN' },
  ],
  ['a trailing comment without a line break', 'javascript', 'function main() { return 1 } // end', 1],
  [
    'top-level await',
    'javascript',
    'const value = await Promise.resolve(5); function main() { return value }',
    5,
  ],
  [
    'web APIs',
    'javascript',
    'async function main() { return [new URL("https://a.example/b").pathname, btoa("x"), structuredClone([1]), (await crypto.subtle.digest("SHA-256", new TextEncoder().encode("a"))).byteLength] }',
    ['/b', 'eA==', [1], 32],
  ],
]
test.each(RESULTS)('code with %s runs', async (_what, language, code, output, more) => {
  expect(await run(language, code, more as never)).toMatchObject({ ok: true, output })
})

const FAILURES: [what: string, code: string, error: RegExp][] = [
  [
    'an error with its line',
    '\nfunction main() { throw new TypeError("no") }',
    /^TypeError: no\n\s+at main \(tool:2:/,
  ],
  [
    'a thrown value that is not an error',
    'function main() { throw { a: 1 } }',
    /^The code threw \{ a: 1 \}$/,
  ],
  [
    'an uncaught error',
    'function main() { setTimeout(() => { throw new Error("late") }); return new Promise(() => {}) }',
    /^Error: late/,
  ],
  [
    'an unhandled rejection',
    'function main() { Promise.reject(new Error("late")); return new Promise(() => {}) }',
    /^Error: late/,
  ],
  ['a syntax error', 'function main() {\n  return 1 +\n}', /^SyntaxError: .*(\n.*)*tool:3:1/],
  ['a missing function', 'function other() {}', /^The code has no function named main\. Define it\.$/],
  ['a name that is not a function', 'const main = 5', /^main is not a function\. Define it as a function\.$/],
  ['a class instead of a function', 'class main {}', /^main is not a function\. Define it as a function\.$/],
  ['a circular result', 'function main() { const a = {}; a.a = a; return a }', /circular/],
]
test.each(FAILURES)('%s is reported', async (_what, code, error) => {
  const outcome = await run('javascript', code)
  expect(outcome).toMatchObject({ ok: false, reason: 'failed' })
  expect(outcome.ok ? '' : outcome.error).toMatch(error)
  expect(JSON.stringify(outcome)).not.toMatch(/blob:|file:|run-javascript/)
})

test('printed output is returned, even if the code fails', async () => {
  const outcome = await run(
    'javascript',
    'function main() { console.log("a", { b: [1] }); console.error("c"); throw new Error("d") }',
  )
  expect(outcome.printed).toBe('a { b: [ 1 ] }\nc\n')
})

describe('a class', () => {
  const code = `
    class Base { inherited() { return 'base' } }
    export class Shop extends Base {
      #secret = 1
      constructor(config) { super(); this.key = config.key }
      find({ query, limit = 5, ...rest }) { return [this.key, query, limit, rest] }
      async later() { return this.#secret }
      _hidden() { return 'hidden' }
      get field() { return 1 }
      static made() {}
    }`
  const shop = (method: string, input: Record<string, unknown> = {}) =>
    sandbox.run(
      'one',
      callOf(codeOf('javascript', code, { name: 'Shop', isClass: true }), {
        method,
        input,
        config: { key: 'k' },
      }),
      never,
    )

  test('is created with the configuration, and its public methods can be called', async () => {
    expect(await shop('find', { query: 'q', x: 1 })).toMatchObject({
      ok: true,
      output: ['k', 'q', 5, { x: 1 }],
    })
    expect(await shop('later')).toMatchObject({ ok: true, output: 1 })
    expect(await shop('inherited')).toMatchObject({ ok: true, output: 'base' })
  })

  test.each(['_hidden', 'constructor', 'field', 'made', 'toString', '__proto__', 'nothing'])(
    'has no callable method %s',
    async (method) => {
      expect(await shop(method)).toMatchObject({
        ok: false,
        reason: 'failed',
        error: `The class Shop has no public method ${method}. Add it to the class.`,
      })
    },
  )

  test('is inspected without being created', async () => {
    const found = await sandbox.inspect('one', codeOf('javascript', code, { name: 'Shop', isClass: true }))
    expect(found).toEqual({
      functions: [
        {
          name: 'find',
          description: '',
          isAsync: false,
          takesAny: true,
          parameters: [
            { name: 'query', type: null, required: true },
            { name: 'limit', type: 'int', required: false, default: 5 },
          ],
        },
        { name: 'later', description: '', isAsync: true, takesAny: false, parameters: [] },
        { name: 'inherited', description: '', isAsync: false, takesAny: false, parameters: [] },
      ],
    })
  })
})

const WRONG: [what: string, code: Partial<SandboxCode>, error: RegExp][] = [
  ['a syntax error', { code: 'function main( {' }, /^SyntaxError/],
  ['a missing function', { code: '1' }, /no function named main/],
  [
    'a function instead of a class',
    { code: 'function main() {}', isClass: true },
    /^main is not a class\. Define it as a class\.$/,
  ],
  ['a class without methods', { code: 'class main {}', isClass: true }, /no public methods/],
  [
    'an invalid name',
    { code: 'function main() {}', name: 'main } ; evil() ; {' },
    /not a valid function or class name/,
  ],
  [
    'an unavailable package',
    { code: 'function main() {}', requirements: ['lodash'] },
    /^lodash is not available: only Python code can use packages/,
  ],
  [
    'a network request during loading',
    { code: 'await fetch("http://a.example/"); function main() {}' },
    /has no network/,
  ],
  ['a forged inspection', { code: 'Function.prototype.toString = () => 5; export function main() {}' }, /./],
]
test.each(WRONG)('an inspection reports %s', async (_what, code, error) => {
  const found = await sandbox.inspect('one', codeOf('javascript', '', code))
  if ('functions' in found) expect(found.functions).toMatchObject([{ name: 'main', parameters: [] }])
  else expect(found.error).toMatch(error)
})
