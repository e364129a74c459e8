import { afterAll, expect, test } from 'vitest'
import { openTestSandbox } from '#tests/support/sandbox.ts'

/** Tests that values which JavaScript programs return naturally arrive as data, with all digits. */

const { run, close } = openTestSandbox()
afterAll(close)

const BIG = '12345678901234567890'

const JAVASCRIPT: [code: string, json: string][] = [
  ['function* () { yield 1; yield [2n] }()', '[1,[2]]'],
  ['async function* () { yield "a"; yield new Map([["k", 1]]) }()', '["a",{"k":1}]'],
  ['new Map([["a", new Set([1])], ["b", new Map()]])', '{"a":[1],"b":{}}'],
  ['new Map([[{ x: 1 }, 2]])', '[[{"x":1},2]]'],
  ['new Set(["a"]).values()', '["a"]'],
  ['[1, 2].entries()', '[[0,1],[1,2]]'],
  ['new Set([1]).union(new Set([2]))', '[1,2]'],
  [
    'new RangeError("no", { cause: new Error("x") })',
    '{"name":"RangeError","message":"no","cause":{"name":"Error","message":"x"}}',
  ],
  ['Object.assign(new Error("no"), { code: 7 })', '{"name":"Error","message":"no","code":7}'],
  [`${BIG}n`, BIG],
  [`({ id: ${BIG}n, list: [-${BIG}n] })`, `{"id":${BIG},"list":[-${BIG}]}`],
  [`JSON.stringify({ id: ${BIG}n })`, JSON.stringify(`{"id":${BIG}}`)],
  ['new Date(0)', '"1970-01-01T00:00:00.000Z"'],
  ['new Uint8Array([1, 2])', '[1,2]'],
  ['new Float64Array([0.5])', '[0.5]'],
  ['new BigInt64Array([1n])', '[1]'],
  ['new Uint8Array([1, 2]).buffer', '[1,2]'],
  ['new DataView(new Uint8Array([1, 2]).buffer, 1)', '[2]'],
  ['/a/g', '"/a/g"'],
  ['new URL("https://a.example/")', '"https://a.example/"'],
  ['new URLSearchParams("a=1")', '{"a":"1"}'],
  ['new Headers({ a: "1" })', '{"a":"1"}'],
  ['new Blob(["text"])', '"text"'],
  ['new Response(\'{"a":1}\', { status: 201 })', '{"status":201,"ok":true,"body":{"a":1}}'],
  ['[Promise.resolve(1), { a: Promise.resolve([2]) }]', '[1,{"a":[2]}]'],
  ['Object.create(null, { a: { value: 1, enumerable: true } })', '{"a":1}'],
  ['(() => { const a = { x: 1 }; return [a, a] })()', '[{"x":1},{"x":1}]'],
  ['new (class { constructor() { this.a = 1 } toJSON() { return { b: new Set([2]) } } })()', '{"b":[2]}'],
  ['new (class { constructor() { this.a = 1 } toJSON() { return this } })()', '{"a":1}'],
  ['[NaN, Infinity, -Infinity, -0]', '["NaN","Infinity","-Infinity",0]'],
  ['Infinity', '"Infinity"'],
  ['new Float64Array([NaN])', '["NaN"]'],
  ['new BigUint64Array([18446744073709551615n])', '[18446744073709551615]'],
  ['new Date(NaN)', '"Invalid Date"'],
  ['Symbol("a")', '"Symbol(a)"'],
  ['({ a: Symbol.iterator })', '{"a":"Symbol(Symbol.iterator)"}'],
  ['new Map([[1, "a"], ["1", "b"]])', '[[1,"a"],["1","b"]]'],
  ['new Map([[2n, "a"]])', '{"2":"a"}'],
  ['new Map([[new Date(0), Symbol("b")]])', '[["1970-01-01T00:00:00.000Z","Symbol(b)"]]'],
  ['new URLSearchParams("a=1&b=2&a=3")', '{"a":["1","3"],"b":"2"}'],
  [
    '(() => { const f = new FormData(); f.append("a", "1"); f.append("a", new Blob(["x"])); return f })()',
    '{"a":["1","x"]}',
  ],
  ['new Blob([new Uint8Array([255, 0])])', '"/wA="'],
  [`new Response('{"id":${BIG},"f":1e400}')`, `{"status":200,"ok":true,"body":{"id":${BIG},"f":1e400}}`],
  [
    'new Request("https://a.example/", { method: "POST", body: "text", headers: { a: "1", "content-type": "b" } })',
    '{"method":"POST","url":"https://a.example/","headers":{"a":"1","content-type":"b"},"body":"text"}',
  ],
  ['new (class { #a = 1; get a() { return this.#a } })()', '{"a":1}'],
  ['new (class { #a = 1; toString() { return "a=" + this.#a } })()', '"a=1"'],
  ['new (class Bag { #a = [1, 2]; *[Symbol.iterator]() { yield* this.#a } })()', '[1,2]'],
  ['new (class { a = 1; f = () => this.a })()', '{"a":1}'],
  ['({ next: (() => { let n = 0; return () => ({ done: n > 1, value: n++ }) })() })', '[0,1]'],
  ['({ next: (() => { let n = 0; return async () => ({ done: n > 1, value: n++ }) })() })', '[0,1]'],
  ['"a1b2".matchAll(/[a-z](\\d)/g)', '[["a1","1"],["b2","2"]]'],
  ['[3, 1].values().map((n) => [n])', '[[3],[1]]'],
  ['Object.create({ a: 1 })', '{"a":1}'],
  ['Object.create(null)', '{}'],
  ['({})', '{}'],
  ['[undefined, , null]', '[null,null,null]'],
  ['Object(1n)', '1'],
  ['[Object("a"), Object(1), Object(false)]', '["a",1,false]'],
  ['new Intl.Locale("de-DE")', '"de-DE"'],
  ['new (class NotFound extends Error {})("no")', '{"name":"NotFound","message":"no"}'],
  ['new DOMException("no", "AbortError")', '{"name":"AbortError","message":"no"}'],
  [
    'new AggregateError([new TypeError("a")], "b")',
    '{"name":"AggregateError","message":"b","errors":[{"name":"TypeError","message":"a"}]}',
  ],
  ['(function () { return arguments })(1, 2)', '[1,2]'],
  ['new ReadableStream({ start(c) { c.enqueue("a"); c.close() } })', '["a"]'],
  ['JSON.parse(\'{"__proto__": 1}\')', '{"__proto__":1}'],
]

/** Results that are no data, and what the sentence names. */
const NOT_JAVASCRIPT: [code: string, named: string][] = [
  ['() => 1', 'the function (without a name)'],
  ['[function twice() {}]', 'the function twice'],
  ['class Item {}', 'the function Item'],
  ['({ later() {} })', 'the function later'],
  ['new Map([["a", Math.max]])', 'the function max'],
  ['new WeakMap()', 'the class WeakMap'],
  ['[new WeakSet()]', 'the class WeakSet'],
  ['new (class Vault { #a = 1 })()', 'the class Vault'],
  ['(() => { let a = []; for (let n = 0; n < 70; n++) a = [a]; return a })()', 'more than 64 levels'],
  ['(() => { const a = new Map(); a.set("a", [a]); return a })()', 'contains itself'],
  ['(function* () { for (;;) yield 1 })()', 'more than 100000 items'],
  ['({ a: { next: () => ({ done: false, value: 1 }) } })', 'more than 100000 items'],
  ['(async function* () { for (;;) yield "x".repeat(9_999) })()', 'larger than 1 MB'],
  ['(function* all() { for (;;) yield all() })()', 'more than 64 levels'],
  ['Array(40).fill().reduce((a) => [a, a], [])', 'larger than 1 MB'],
]

test('what is no data fails with a sentence that names it', async () => {
  for (const [code, named] of NOT_JAVASCRIPT)
    expect([code, await run('javascript', `export const main = () => (${code})`)]).toMatchObject([
      code,
      { ok: false, error: expect.stringContaining(named) },
    ])
})

test('values of all kinds', async () => {
  const items = JAVASCRIPT.map(
    ([code]) =>
      `() => (${code.startsWith('function*') || code.startsWith('async function*') ? `(${code.slice(0, -2)})()` : code})`,
  )
  const code = `export const main = () => [${items.join(',\n')}].map((make) => make())`
  const outcome = await run('javascript', code)
  expect(outcome).toMatchObject({ ok: true })
  const output = (outcome as unknown as { output: unknown[] }).output
  expect(output.map((value) => JSON.stringify(value))).toEqual(JAVASCRIPT.map(([, json]) => json))
})

test('a generator as the whole result, integers beyond 2^53 as input, and results that cannot be written', async () => {
  expect(await run('javascript', "export function* main() { yield 'item-1'; yield 'item-2' }")).toMatchObject(
    { output: ['item-1', 'item-2'] },
  )
  expect(await run('javascript', "export async function* main() { yield 'item-1' }")).toMatchObject({
    output: ['item-1'],
  })
  const input = JSON.parse(`{"a":0}`)
  input.a = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(BIG)
  const echoed = await run('javascript', 'export const main = ({ a }) => [typeof a, a + 1n, String(a)]', {
    input,
  })
  expect(JSON.stringify(echoed)).toContain(`["bigint",12345678901234567891,"${BIG}"]`)
  expect(
    await run('javascript', 'export const main = () => { const a = {}; a.a = a; return a }'),
  ).toMatchObject({ ok: false, error: expect.stringContaining('contains itself') })
  expect(await run('javascript', 'export function* main() { for (;;) yield 1 }')).toMatchObject({
    ok: false,
    error: expect.stringContaining('more than'),
  })
})
