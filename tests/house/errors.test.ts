import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { AppError, type ErrorCode, fail, reasonFor, type SentenceCode, statusOf, templateOf } from '#errors'

/* Checks the error catalog: each errors.ts contains only data, is composed once, and all its errors are thrown. */

const CATALOGUES = globSync('server/{parts,platform}/*/errors.ts').sort()
const SOURCES = globSync('server/**/*.ts').filter(
  (file) => !file.endsWith('.test.ts') && !CATALOGUES.includes(file),
)

const codesOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^ {2}'([\w.]+)': /gm)].map(([, code = '']) => code)

const namedIn = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/'([a-z_]+\.[a-z_]+)'/g)].map(([, code = '']) => code)

const codes = CATALOGUES.flatMap(codesOf)

test('every errors.ts is composed and imports only the helper, and no code is defined twice', () => {
  const composed = [
    ...readFileSync('server/errors/index.ts', 'utf8').matchAll(/^import .* from '#(p.*\/errors\.ts)'/gm),
  ].map(([, path]) => `server/${path}`)
  expect(composed.sort()).toEqual(CATALOGUES)
  for (const file of CATALOGUES)
    expect(readFileSync(file, 'utf8').match(/(?:from|import\() ?'.*'/g)).toEqual(["from '#errors/define.ts'"])
  expect(codes.length).toBeGreaterThan(200)
  expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([])
})

test('every error is used by code that throws it', () => {
  const named = new Set(SOURCES.flatMap(namedIn))
  expect(codes.filter((code) => !named.has(code))).toEqual([])
})

/** Failures whose message people read: in another error, in stored data, or as a tool's result. */
const TOLD =
  /new (?:NetError|FetchError|FetchProxyError|BucketError|CrawlError|Skipped|DocumentError|ModelError|McpError|AuthorizationError|ComposioError|SandboxUnavailable|Refusal|RunError)\(\s*(?:'\w+',\s*)?['"`][^'"`]* /
const REASON = /\bfail\(\s*'[\w.]+',\s*\{\s*reason: ['"`][A-Za-z]/

test('error sentences are only in errors.ts', () => {
  const writers = SOURCES.filter((file) => {
    const text = readFileSync(file, 'utf8')
    return TOLD.test(text) || REASON.test(text)
  })
  expect(writers).toEqual([])
})

test.each([
  "throw new NetError('This is no address.')",
  "new McpError(\n  'refused',\n  `This server refused.`",
  "fail('request.invalid', {\n  reason: 'A body is required',",
])('finds a sentence in %s', (text) => {
  expect(TOLD.test(text) || REASON.test(text)).toBe(true)
})

test('platform rooms throw no errors of parts', () => {
  const ofParts = CATALOGUES.filter((file) => file.startsWith('server/parts/')).flatMap(codesOf)
  const thrown = SOURCES.filter((file) => /^server\/(?:platform|database)\//.test(file)).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\bfail\(\s*'([\w.]+)'/g)].map(([, code = '']) => ({
      file,
      code,
    })),
  )
  expect(thrown.length).toBeGreaterThan(50)
  expect(thrown.filter(({ code }) => ofParts.includes(code))).toEqual([])
})

test('an error requires exactly the values that its sentence names', () => {
  expect(fail('role.too_high', { level: 80 }).message).toContain('(80)')
  // @ts-expect-error: the sentence names {level}
  const incomplete = fail('role.too_high')
  expect(incomplete.message).toContain('{level}')
  // @ts-expect-error: the sentence does not name {role}
  fail('role.too_high', { level: 80, role: 'admin' })
  // @ts-expect-error: the sentence names nothing
  fail('chat.no_target', { level: 80 })
})

test('an error of a look-up requires the value that was looked up', () => {
  const { message, values } = fail('role.not_found', { value: '0195f3c4' })
  expect({ message, values }).toEqual({
    message: 'Role not found: role_id 0195f3c4',
    values: { field: 'role_id', value: '0195f3c4' },
  })
  // The specification prescribes these sentences, so only the values have the field.
  expect(fail('chat.not_found', { value: '0195f3c4' })).toMatchObject({
    message: 'Chat session not found',
    values: { field: 'chat_id', value: '0195f3c4' },
  })
  // @ts-expect-error: the value is missing
  fail('role.not_found')
  // @ts-expect-error: the value is missing, although the sentence does not name it
  fail('chat.not_found')
})

/** They are about an address, or about a state, and not about a field. */
const WITHOUT_FIELD = [
  'auth.oidc_off',
  'mcp.attempt_gone',
  'mcp.no_attempt',
  'mcp.resource_empty',
  'request.not_found',
]

test('every 404 is an error of a look-up', () => {
  const others = codes.filter(
    (code) => isSent(code) && statusOf(code) === 404 && exampleOf(code, 'x').lookedUp === undefined,
  )
  expect(others.sort()).toEqual(WITHOUT_FIELD)
})

const HOSTILE = [
  'plain',
  '',
  "$& $1 $$ $'",
  '{limit} {reason} {field}',
  'k'.repeat(6_000),
  `${'k'.repeat(99)}😀😀`,
  'two\nlines\tand\u0000 control',
  'gpj.\u202Egnp \u2066hidden\u2069',
  'zero\u200Bwidth\uFEFF',
  'लेखक\u200D 👩\u200D💻',
  0,
  -1.5,
]

test.each(HOSTILE)('every sentence, filled with the values of its error, is its message: %j', (value) => {
  const wrong = codes.filter((code) => {
    const template = templateOf(code as SentenceCode)
    const { message, values = {} } = isSent(code) ? exampleOf(code, value) : reasonOf(code, template, value)
    const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]))
    return message !== filled || names.some((name) => values[name] === undefined) || HIDDEN.test(message)
  })
  expect(wrong).toEqual([])
})

const HIDDEN = /[\u200B\u202A-\u202E\u2066-\u2069\uFEFF]/

const isSent = (code: string): code is ErrorCode => statusIn(code) !== undefined

/** Codes that are only parts of other errors have no status. */
const statusIn = (code: string): number | undefined => {
  const status: unknown = statusOf(code as ErrorCode)
  return typeof status === 'number' ? status : undefined
}

const exampleOf = (code: ErrorCode, value: string | number): AppError =>
  new AppError(code, valuesFor(templateOf(code), value), {})

const reasonOf = (code: string, template: string, value: string | number) =>
  (reasonFor as (code: string, values: object) => ReturnType<typeof reasonFor>)(
    code,
    valuesFor(template, value),
  )

const valuesFor = (template: string, value: string | number): Record<string, string | number> => ({
  value,
  ...Object.fromEntries([...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, value])),
})
