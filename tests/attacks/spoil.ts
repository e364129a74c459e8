import type { Call } from '#tests/contract/access-matrix.ts'
import { type Operation, placesIn, type Schema, withValueAt } from './contract.ts'
import type { Choice } from './random-choice.ts'

/** A corrupted request. It may still be valid, but is unusual. */
export interface BadRequest {
  /** The path and the query string. */
  path: string
  headers: Record<string, string>
  body: string | Uint8Array | null
  /** Describes how the request was corrupted. */
  corruption: string
  /** True if the server may close the connection instead of responding. */
  mayBeCutOff: boolean
}

const BOUNDARY = 'the-boundary'

const placesByOperation = new Map<string, ReturnType<typeof placesIn>>()

function placesOf({ id, body }: Operation): ReturnType<typeof placesIn> {
  const known = placesByOperation.get(id) ?? (body ? placesIn(body) : [])
  placesByOperation.set(id, known)
  return known
}

/** Corrupts a valid call in one to three ways. */
export function spoil(choice: Choice, operation: Operation, call: Call): BadRequest {
  const changes: string[] = []
  const query = new URLSearchParams(call.query)
  let { body } = call
  const count = 1 + choice.below(3)
  for (let time = 0; time < count; time++) {
    const places = placesOf(operation)
    if (places.length > 0 && choice.chance(0.7)) {
      const { path, schema } = choice.of(places)
      const [what, make] = choice.of(oddValuesFor(schema, choice))
      body = withValueAt(body, path, make())
      changes.push(`${path || 'body'}: ${what}`)
    } else changes.push(spoilQuery(choice, operation, query))
  }
  const prefixed = choice.chance(0.15) ? operation.path.replace('/api/', '/v1/') : operation.path
  const request: BadRequest = {
    path: `${prefixed}?${query}`,
    headers: {},
    body: null,
    corruption: '',
    mayBeCutOff: false,
  }
  if (operation.body) writeJson(choice, request, body, changes)
  else if (operation.takesFile) writeForm(choice, request, changes)
  if (choice.chance(0.15)) changes.push(spoilHeaders(choice, request))
  return { ...request, corruption: changes.join(', ') }
}

const TEXTS: Record<string, string> = {
  empty: '',
  blank: ' \t\n',
  NUL: 'a\0b',
  'a lone surrogate': 'x\ud83d',
  emoji: '👩‍👩‍👧‍👦'.repeat(50),
  'right to left': '\u202e\u2066abc\u2069',
  combining: 'e\u0301'.repeat(500),
  'zero width': '\u200b\ufeff',
  SQL: "'; drop table users; --",
  template: '{{7*7}}<%= 7 %>#{7*7}',
  HTML: '<script>alert(1)</script>',
  path: '../../../../etc/passwd',
  'line ends': 'a\r\nX-Injected: 1\r\n\r\n',
  'like pattern': '%_%\\',
  expression: '(a+)+$'.repeat(20),
  'a number': '1e400',
  address: 'http://[::ffff:127.0.0.1]:9/%00',
  date: '+275760-09-13T00:00:00.001Z',
  'a proto': '__proto__',
}

const NUMBERS = [0, -1, 0.5, -0, 1e308, -1e308, 2 ** 53, 2 ** 31, -(2 ** 63), 5e-324]

type OddValue = [what: string, make: () => unknown]

/** Returns functions that create unexpected values for a schema, each with a description. */
function oddValuesFor(schema: Schema, choice: Choice): OddValue[] {
  const [name = '', text] = choice.of(Object.entries(TEXTS))
  const size = choice.of([201, 5_001, 100_001, choice.chance(0.05) ? 1_500_000 : 1_000])
  return [
    ['null', () => null],
    ['a boolean', () => choice.chance(0.5)],
    ['a number', () => choice.of(NUMBERS)],
    ['a list', () => choice.of([[], [[]], [null, 1, 'x']])],
    [
      'an object',
      () => choice.of([{}, { a: { b: 1 } }, JSON.parse('{"__proto__":{"x":1},"constructor":1}')]),
    ],
    [name, () => text],
    [name, () => text],
    [`${size} characters`, () => 'x'.repeat(size)],
    ['a long list', () => Array.from({ length: choice.of([101, 1_001]) }, () => 'x')],
    ['deep nesting', () => nested(choice.of([30, 63, 70]))],
    ['an unknown key', () => ({ ['k'.repeat(choice.of([1, 300, 50_000]))]: 1 })],
    ...boundaries(schema),
  ]
}

/** Maximum length of a generated string. A longer string would exceed the body limit, which other cases test. */
const TEXT_MAX = 200_000

function boundaries({ minimum, maximum, minLength, maxLength, enum: values, type }: Schema): OddValue[] {
  const odd: OddValue[] = []
  if (minimum !== undefined)
    odd.push(['below the minimum', () => minimum - 1], ['the minimum', () => minimum])
  if (maximum !== undefined)
    odd.push(['above the maximum', () => maximum + 1], ['the maximum', () => maximum])
  if (minLength !== undefined) odd.push(['too short', () => 'x'.repeat(Math.max(0, minLength - 1))])
  if (maxLength !== undefined && maxLength < TEXT_MAX)
    odd.push(
      ['too long', () => 'x'.repeat(maxLength + 1)],
      ['as long as allowed', () => '😀'.repeat(maxLength / 2)],
    )
  if (values !== undefined) odd.push(['a wrong choice', () => `${values[0]}x`])
  if (type === 'integer') odd.push(['a fraction', () => 1.5])
  return odd
}

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

const QUERY_VALUES = [
  '',
  ' ',
  '-1',
  '0',
  '1.5',
  '1e400',
  '99999999999999999999',
  'NaN',
  'null',
  '[]',
  '\0',
  '\ud83d',
  '%',
  'x'.repeat(3_000),
]
const CURSORS = [
  '',
  'x',
  'AAAA',
  'eyJpZCI6MX0',
  '-',
  '00000000-0000-0000-0000-000000000000',
  'x'.repeat(201),
  '\0',
]

function spoilQuery(choice: Choice, { parameters }: Operation, query: URLSearchParams): string {
  const names = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
  const name = names.length > 0 && choice.chance(0.9) ? choice.of(names) : 'unknown'
  const value = name === 'cursor' ? choice.of(CURSORS) : choice.of([...QUERY_VALUES, ...Object.values(TEXTS)])
  if (choice.chance(0.15)) query.delete(name)
  else if (choice.chance(0.2)) query.append(name, value)
  else query.set(name, value)
  return `?${name}=${JSON.stringify(value.slice(0, 20))}`
}

/** Encodes a body as JSON with irregularities that JSON.stringify cannot produce. */
function writeJson(choice: Choice, request: BadRequest, body: unknown, changes: string[]): void {
  const json = JSON.stringify(body ?? {})
  request.headers['content-type'] = 'application/json'
  request.body = json
  if (!choice.chance(0.2)) return
  const [what, write] = choice.of<[string, () => string | Uint8Array]>([
    ['cut', () => json.slice(0, choice.below(json.length))],
    ['a duplicate key', () => json.replace(/^\{/, '{"name":1,"name":{"x":[]},')],
    ['a number out of range', () => json.replace(/:("[^"]*"|\d+)/, ':1e400')],
    ['a long number', () => json.replace(/:("[^"]*"|\d+)/, `:${'9'.repeat(400)}`)],
    ['a trailing comma', () => json.replace(/\}$/, ',}')],
    ['a byte order mark', () => `\ufeff${json}`],
    ['not UTF-8', () => Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xc0]), Buffer.from('"}')])],
    ['escaped halves', () => '{"name":"\\ud83d\\u0000"}'],
    ['deep nesting', () => `${'{"name":'.repeat(choice.of([65, 5_000]))}1${'}'.repeat(65)}`],
    ['nothing', () => ''],
    ['only blanks', () => ' '.repeat(10_000)],
    ['many values', () => `[${'0,'.repeat(120_000)}0]`],
    ['5 MB', () => JSON.stringify({ name: 'x'.repeat(choice.chance(0.1) ? 5_000_000 : 70_000) })],
  ])
  const written = write()
  request.body = written
  request.mayBeCutOff = written.length > 60_000
  changes.push(`JSON: ${what}`)
}

function writeForm(choice: Choice, request: BadRequest, changes: string[]): void {
  const part = (head: string, content: string): string => `--${BOUNDARY}\r\n${head}\r\n\r\n${content}\r\n`
  const file = 'Content-Disposition: form-data; name="file"; filename="a.txt"'
  const [what, written] = choice.of([
    ['a file', `${part(file, 'a note')}--${BOUNDARY}--\r\n`],
    ['no end', part(file, 'a note')],
    ['no file', `--${BOUNDARY}--\r\n`],
    ['two files', `${part(file, 'a')}${part(file, 'b')}--${BOUNDARY}--\r\n`],
    ['a name with line breaks', `${part(file.replace('a.txt', '..%0d%0a/a\0.txt'), 'a')}--${BOUNDARY}--\r\n`],
    ['a long name', `${part(file.replace('a.txt', 'x'.repeat(5_000)), 'a')}--${BOUNDARY}--\r\n`],
    ['no head', `--${BOUNDARY}\r\n\r\nx\r\n--${BOUNDARY}--\r\n`],
    ['not a form', 'hello'],
    ['nothing', ''],
  ] as const)
  request.headers['content-type'] = `multipart/form-data; boundary=${BOUNDARY}`
  request.body = written
  request.mayBeCutOff = true
  changes.push(`form: ${what}`)
}

function spoilHeaders(choice: Choice, request: BadRequest): string {
  const [name, value] = choice.of([
    ['content-type', 'text/plain'],
    ['content-type', 'application/x-www-form-urlencoded'],
    ['content-type', 'application/json; charset=utf-16'],
    ['content-type', 'nonsense'],
    ['content-encoding', 'gzip'],
    ['accept', 'text/event-stream;q=x, */*;q=-1'],
    ['accept', 'x'.repeat(5_000)],
    ['idempotency-key', 'x'.repeat(300)],
    ['idempotency-key', '\u00e9'],
    ['last-event-id', '-1.x.99999999999999999999'],
    ['x-forwarded-for', "127.0.0.1, ' or 1=1"],
    ['x-request-id', 'mine'],
    ['cookie', `a=${'x'.repeat(5_000)}`],
    ['range', 'bytes=9999999999-0'],
    ['x-api-key', 'dk_x'],
    ['origin', 'null'],
    ['upgrade-insecure-requests', '1'],
    ['x-huge', 'x'.repeat(20_000)],
  ] as const)
  request.headers[name] = value
  if (name === 'x-huge') request.mayBeCutOff = true
  return `${name}: ${value.slice(0, 30)}`
}
