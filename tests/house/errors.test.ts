import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fail } from '#errors'

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
  fail('role.not_found', { level: 80 })
})
