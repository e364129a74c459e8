import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { idsOf, sourcesOf } from '#tests/support/evaluations.ts'
import { type Librarian, librarian } from '#tests/support/knowledge.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

let server: TestServer
let library: Librarian
let kb: string
let documents: { name: string; metadata: Record<string, unknown> }[]

/** The metadata that sources give to documents. */
const METADATA: Record<string, unknown>[] = [
  { lang: 'de', year: 2019, draft: true, at: '2019-05-01T10:00:00.000Z' },
  { lang: 'fr', year: 2020, draft: false, at: '2020-01-31T23:59:59.999Z' },
  { lang: 'de', year: 2021.5, at: '2021-12-24T18:00:00.000Z', tags: ['a', 'b'] },
  { lang: 'en', year: -3, at: '2020-02-01T00:00:00.000Z', deep: { year: 2020 } },
  { lang: 'en', year: '2020', author: null },
  { lang: 'zürich', year: 1e300, author: "O'Brien" },
  { lang: '', year: 0, author: '💩' },
  { lang: 'Z', "it's": 'quoted', '$.lang': 'path', __proto__x: 1 },
  {},
]

beforeAll(async () => {
  server = await sharedTestServer()
  library = librarian(server, await server.signUp())
  const word = (at: number, n: number) => `w${at}x${n}`
  const texts = METADATA.map((_, at) => [
    `d${at}`,
    `common ${Array.from({ length: 8 }, (_unused, n) => word(at, n)).join(' ')}`,
  ])
  kb = await library.create({ sources: sourcesOf(Object.fromEntries(texts)) })
  await library.settle(kb)
  const { sql } = server.server.services.database
  const ids = await idsOf(library, kb)
  for (const [at, metadata] of METADATA.entries())
    await sql`
      update kb_documents set metadata = ${JSON.stringify(metadata)}::text::jsonb where id = ${ids[`d${at}`] ?? ''}`
  const listed = await library.call('GET', 'list_documents', { kb_id: kb, limit: '100' })
  documents = listed.body.documents.map(({ id, name, metadata, ...shown }: Record<string, object>) => ({
    name,
    metadata: {
      ...metadata,
      name,
      document_id: id,
      mime_type: shown['mime_type'],
      size: shown['size'],
      source_id: shown['source_id'],
    },
  }))
  // Another knowledge base with the same words. No search may find its document.
  const other = await library.create({ sources: sourcesOf({ neighbour: 'common neighbour' }) })
  await library.settle(other)
})
afterAll(() => server.stop())

const search = (filter: unknown) =>
  library.call('POST', 'search', { kb_id: kb }, { query: 'common', limit: 100, filter })

async function found(filter: unknown) {
  const { status, body, text } = await search(filter)
  if (status !== 200) throw new Error(`${text} for ${JSON.stringify(filter)}`)
  return body.results as { document_id: string; document_name: string; metadata: Record<string, unknown> }[]
}
const namesOf = async (filter: unknown): Promise<string[]> =>
  (await found(filter)).map(({ document_name: name }) => name).sort()

test.each([
  ['nothing', {}, [0, 1, 2, 3, 4, 5, 6, 7, 8]],
  ['a text', { lang: 'de' }, [0, 2]],
  ['an empty text', { lang: '' }, [6]],
  ['a number', { year: 2020 }, [1]],
  ['the text of a number', { year: '2020' }, [4]],
  ['a boolean', { draft: false }, [1]],
  ['its text, which does not match', { draft: 'false' }, []],
  ['one of several values', { lang: { in: ['fr', 'en'] } }, [1, 3, 4]],
  ['one of several types', { year: { in: ['2020', 2019, true] } }, [0, 4]],
  ['one of an empty list', { lang: { in: [] } }, []],
  ['a range of numbers', { year: { gte: 2020, lt: 2022 } }, [1, 2]],
  ['a number above, but no text', { year: { gt: 0 } }, [0, 1, 2, 5]],
  ['a range of times', { at: { gte: '2020-01-01', lt: '2020-02-01' } }, [1]],
  ['a time', { at: { gt: '2020-01-31T23:59:59.999Z' } }, [2, 3]],
  ['a key that exists', { author: { exists: true } }, [4, 5, 6]],
  ['a key that does not exist', { at: { exists: false } }, [4, 5, 6, 7, 8]],
  ['several conditions', { lang: 'de', year: { lt: 2020 }, draft: true }, [0]],
  ['a range and existence', { year: { exists: true, lte: -3 } }, [3]],
  ['the name', { name: { in: ['d3', 'd4', 'd99'] } }, [3, 4]],
  ['the type', { mime_type: 'text/plain', name: 'd1' }, null],
  ['a list item, which does not match the list', { tags: 'a' }, []],
  ['a nested key, which does not match', { 'deep.year': 2020 }, []],
  ['quotes in a value', { author: "O'Brien" }, [5]],
  ['emoji', { author: '💩' }, [6]],
  ['quotes in a key', { "it's": 'quoted' }, [7]],
  ['a path as a key', { '$.lang': 'path' }, [7]],
] as const)('%s', async (_what, filter, expected) => {
  const names = await namesOf(filter)
  if (expected === null) expect(names.length).toBeLessThanOrEqual(1)
  else expect(names).toEqual(expected.map((at) => `d${at}`))
})

test('source and document ids', async () => {
  const metadata = documents.find(({ name }) => name === 'd2')?.metadata ?? {}
  expect(await namesOf({ source_id: metadata['source_id'] })).toEqual(['d2'])
  expect(await namesOf({ document_id: metadata['document_id'] })).toEqual(['d2'])
  expect(await namesOf({ document_id: crypto.randomUUID() })).toEqual([])
})

describe('invalid filters are refused', () => {
  test.each([
    [
      'null',
      { lang: null },
      'filter.lang must be a value, or an object with in, gt, gte, lt, lte or exists.',
    ],
    [
      'a list',
      { lang: ['de'] },
      'filter.lang must be a value, or an object with in, gt, gte, lt, lte or exists.',
    ],
    ['an empty object', { lang: {} }, 'filter.lang has no condition. Use in, gt, gte, lt, lte or exists.'],
    [
      'an unknown operator',
      { lang: { ne: 'de' } },
      'filter.lang.ne is not a known condition. Use in, gt, gte, lt, lte or exists.',
    ],
    [
      'the name of a built-in property',
      { lang: { toString: 1 } },
      /^filter\.lang\.toString is not a known condition/,
    ],
    ['another', { lang: { constructor: 1 } }, /^filter\.lang\.constructor is not a known condition/],
    ['exists with a string', { lang: { exists: 'yes' } }, 'filter.lang.exists must be true or false.'],
    ['in with a string', { lang: { in: 'de' } }, /^filter\.lang\.in must be a list of at most 100/],
    ['in with lists', { lang: { in: [['de']] } }, /^filter\.lang\.in must be a list/],
    [
      'in with too many values',
      { lang: { in: Array(101).fill('a') } },
      /^filter\.lang\.in must be a list of at most 100/,
    ],
    ['a boolean as a bound', { year: { gt: true } }, /^filter\.year\.gt must be a number, or a string/],
    ['null as a bound', { year: { lte: null } }, /^filter\.year\.lte must be a number, or a string/],
    ['a long value', { lang: 'a'.repeat(1_001) }, /^filter\.lang must be a value/],
    [
      'a long key',
      { ['a'.repeat(101)]: 1 },
      'A key of filter must have at most 100 characters, and no NUL character or unpaired surrogate.',
    ],
    [
      '21 keys',
      Object.fromEntries(Array.from({ length: 21 }, (_, at) => [at, at])),
      'filter must have at most 20 fields.',
    ],
    [
      '10,000',
      Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [at, at])),
      'filter must have at most 20 fields.',
    ],
    ['a text', 'lang', /^filter must be an object/],
    ['a list of filters', [{ lang: 'de' }], /^filter must be an object/],
  ])('%s', async (_what, filter, detail) => {
    const { status, body } = await search(filter)
    expect([status, body.detail]).toEqual([
      400,
      typeof detail === 'string' ? detail : expect.stringMatching(detail),
    ])
  })
})

test.each([
  `{"__proto__": 1}`,
  `{"__proto__": {"in": [1]}}`,
  `{"lang": {"__proto__": {"gt": 1}}}`,
  `{"constructor": "x"}`,
  `{"' or true --": "x"}`,
  `{"lang'; drop table kb_documents; --": {"exists": true}}`,
  `{"lang": "de'; drop table kb_documents; --"}`,
  `{"$.*": {"exists": true}}`,
  `{"lang": "$.** ? (@ > 0)"}`,
  `{"{lang}": "de"}`,
  `{"lang": {"in": ["' or 1=1"]}}`,
  `{"lang": {"gt": "\u{10ffff}') or true or ('"}}`,
  `{"a\\u0000b": 1}`,
  `{"lang": "\\u0000"}`,
  `{"\\ud800": 1}`,
  `{"lang": "\\udfff"}`,
  `{"lang": {"in": ["\\ud800"]}}`,
  `{"year": 1e400}`,
  `{"year": {"gt": -1e999}}`,
  `{"lang": ${'['.repeat(100)}${']'.repeat(100)}}`,
  `{"": 1}`,
  `{"": {"exists": true}}`,
])('%s finds nothing, or is refused with an error sentence', async (filter) => {
  const { status, body } = await server.call('POST', `/api/kb/search?kb_id=${kb}`, {
    token: library.token,
    body: `{"query": "common", "limit": 100, "filter": ${filter}}`,
  })
  if (status === 200) expect(body.results).toEqual([])
  else expect([status, body.detail]).toEqual([400, expect.stringMatching(/\w{3}/)])
  expect(await namesOf({})).toHaveLength(METADATA.length)
})

/** A second, simple implementation of filters to compare with. */
function isWanted(metadata: Record<string, unknown>, filter: Record<string, unknown>): boolean {
  return Object.entries(filter).every(([key, condition]) => {
    const isThere = Object.hasOwn(metadata, key)
    const value = metadata[key]
    if (condition === null || typeof condition !== 'object') return isThere && value === condition
    return Object.entries(condition).every(([name, wanted]) => {
      if (name === 'exists') return isThere === wanted
      if (!isThere) return false
      if (name === 'in') return (wanted as unknown[]).includes(value)
      if (typeof value !== typeof wanted) return false
      const order = compare(value, wanted)
      return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[name]
    })
  })
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number') return a - (b as number)
  return Buffer.compare(Buffer.from(a as string), Buffer.from(b as string))
}

test('random filters match a simple implementation, and find nothing in another knowledge base', async () => {
  const text = fc.constantFrom(
    'de',
    'fr',
    'en',
    'Z',
    'z',
    '',
    'zürich',
    "O'Brien",
    '💩',
    '￿',
    '2020',
    'd3',
    '2020-01',
  )
  const number = fc.oneof(
    fc.constantFrom(2019, 2020, 2021.5, -3, 0, 1e300, -0.5),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  )
  const value = fc.oneof(text, number, fc.boolean())
  const bound = fc.oneof(text, number)
  const condition = fc.oneof(
    value,
    fc
      .record(
        {
          in: fc.array(value, { maxLength: 4 }),
          gt: bound,
          gte: bound,
          lt: bound,
          lte: bound,
          exists: fc.boolean(),
        },
        { requiredKeys: [] },
      )
      .filter((one) => Object.keys(one).length > 0),
  )
  const key = fc.constantFrom(
    'lang',
    'year',
    'draft',
    'at',
    'author',
    'name',
    "it's",
    'size',
    'nobody',
    'source_id',
  )
  const filter = fc.dictionary(key, condition, { minKeys: 1, maxKeys: 3 })
  await fc.assert(
    fc.asyncProperty(filter, async (wanted) => {
      const plain = JSON.parse(JSON.stringify(wanted)) as Record<string, unknown>
      const expected = documents.filter(({ metadata }) => isWanted(metadata, plain)).map(({ name }) => name)
      expect(await namesOf(plain)).toEqual(expected.sort())
    }),
    { numRuns: 150 },
  )
})

test.each([
  ['10,000 characters', 'common '.repeat(1_428)],
  ['10,000 different words', Array.from({ length: 1_700 }, (_, at) => `w${at}`).join(' ')],
  ['one word of 10,000 characters', 'a'.repeat(10_000)],
  ['only stop words', 'the of and to in is'],
  ['only punctuation', '?!… --- "" \'\' (*) [] {} %_ \\'],
  ['emoji', '🐝🍯👩‍👩‍👧‍👦🇩🇪'],
  ['right to left', 'שלום \u202Eעולם\u202C مرحبا بالعالم'],
  ['unclosed quotes', '"common w0x1'],
  ['many quotes', '"a b" '.repeat(1_000)],
  ['stars', '*'.repeat(5_000)],
  ['prefixes', Array.from({ length: 2_000 }, () => 'co*').join(' ')],
  ['operators of full-text search', "common & !w0x1 | (w0x2 <-> w0x3):* 'quote'"],
  ['SQL', "'; drop table kb_chunks; --"],
  ['combining marks', 'e\u0301'.repeat(3_000)],
  ['zero-width characters', '\u200b\u200d\ufeff co\u00admmon'],
  ['a long Chinese text', '图书馆'.repeat(3_000)],
  ['digits', '0'.repeat(9_999)],
  ['private and unassigned characters', '\ue000\uffff\u{10ffff}'],
  ['new lines', '\n\r\t common'],
])('a query of %s gets 200', async (_what, query) => {
  const { status, body } = await library.call('POST', 'search', { kb_id: kb }, { query, explain: true })
  expect(status, JSON.stringify(body)).toBe(200)
  for (const { score } of body.results) expect(score).toBeGreaterThanOrEqual(0)
  for (const { score } of body.results) expect(score).toBeLessThanOrEqual(1)
})

test.each([
  ['NUL', '"common \\u0000"', /NUL/],
  ['unpaired surrogate', '"common \\ud83d"', /surrogate/],
  ['nothing', '""', /^query must not be empty/],
  ['spaces', '"  \\n "', /^query /],
  ['too much', `"${'a'.repeat(10_001)}"`, /^query must have at most 10000 characters/],
  ['a number', '1', /^query must be a string/],
])('a query of %s is refused', async (_what, query, detail) => {
  const { status, body } = await server.call('POST', `/api/kb/search?kb_id=${kb}`, {
    token: library.token,
    body: `{"query": ${query}}`,
  })
  expect([status, body.detail]).toEqual([400, expect.stringMatching(detail)])
})
