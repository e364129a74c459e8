import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Every body and every response of the API reference has an example that matches its schema. */

type Json = Record<string, unknown>
interface Media {
  schema: Json
  example?: unknown
  examples?: Record<string, unknown>
}
interface Operation {
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { $ref?: string; content?: Record<string, Media> }>
}
interface Content {
  place: string
  type: string
  media: Media
  pointer: string[]
}

/** The company, the MCP server that it uses, and its provider of models. */
const HOSTS = /^(?:(?:\w+\.)?fernhill\.example|calendar\.example\.com|api\.openai\.com)$/

const ADDRESSES = ['/openapi.json', '/v1/openapi.json']
// Both are read first: the tests block this process for seconds, in which the server may close the client's connection.
const documents = new Map<string, Json>()
let server: TestServer
beforeAll(async () => {
  server = await sharedTestServer()
  for (const address of ADDRESSES) documents.set(address, (await server.call('GET', address)).body)
})
afterAll(() => server.stop())

describe.each(ADDRESSES)('%s', (address) => {
  let document: Json
  let contents: Content[]
  let ajv: Ajv

  beforeAll(() => {
    document = documents.get(address) as Json
    contents = contentsOf(document)
    ajv = new Ajv({ strict: false })
    addFormats.default(ajv)
    ajv.addSchema(document, 'openapi')
  })

  const resolve = (value: unknown): { value?: unknown } => {
    const { $ref } = value as { $ref?: string }
    return ($ref === undefined ? value : at(document, $ref.slice(2).split('/'))) as { value?: unknown }
  }
  const examplesOf = ({ example, examples }: Media): unknown[] => [
    ...(example === undefined ? [] : [example]),
    ...Object.values(examples ?? {}).map((each) => resolve(each).value),
  ]

  test('every body and response has an example', () => {
    expect(contents.length).toBeGreaterThan(address.startsWith('/v1') ? 1_000 : 1_100)
    const missing = contents.filter(({ media }) => examplesOf(media).length === 0)
    expect(missing.map(({ place, type }) => `${place} ${type}`)).toEqual([])
  })

  test('every example is valid', () => {
    const invalid: string[] = []
    for (const { place, media, pointer } of contents) {
      const validate = ajv.getSchema(`openapi#/${[...pointer, 'schema'].map(escaped).join('/')}`)
      for (const example of examplesOf(media))
        if (!validate?.(example)) invalid.push(`${place}: ${JSON.stringify(validate?.errors?.slice(0, 3))}`)
    }
    expect([...new Set(invalid)]).toEqual([])
  })

  test('no example has a meaningless value or a placeholder', () => {
    const text = JSON.stringify(contents.map(({ media }) => examplesOf(media)))
    expect(
      text.match(/(?<!"type":)"string"|"lorem|"foo"|"(?:detail|message)":"[^"]*\{\w+\}/gi) ?? [],
    ).toEqual([])
  })

  test('all examples are of one company', () => {
    const text = JSON.stringify(contents.map(({ media }) => examplesOf(media)))
    const ids = text.match(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g) ?? []
    const hosts = [...text.matchAll(/(?:https?:\/\/|\w@)([\w.-]+\.[a-z]+)/g)].map(([, host = '']) => host)
    expect(ids.filter((id) => !id.startsWith('0195f3c4-8a5e-7cc3-9e0f-'))).toEqual([])
    expect([...new Set(hosts)].filter((host) => !HOSTS.test(host))).toEqual([])
  })

  test('every reference resolves', () => {
    const references = new Set(JSON.stringify(document).match(/"#\/[^"]+"/g))
    for (const reference of references)
      expect(at(document, JSON.parse(reference).slice(2).split('/')), reference).toBeDefined()
  })
})

/** Returns the contents of all bodies and responses, including webhooks, except status 204 and redirects. */
function contentsOf(document: Json): Content[] {
  const found: Content[] = []
  const add = (place: string, pointer: string[], content: Record<string, Media> = {}): void => {
    for (const [type, media] of Object.entries(content))
      found.push({ place, type, media, pointer: [...pointer, 'content', type] })
  }
  for (const section of ['paths', 'webhooks'])
    for (const [path, methods] of Object.entries(
      document[section] as Record<string, Record<string, Operation>>,
    ))
      for (const [method, { requestBody, responses }] of Object.entries(methods)) {
        const pointer = [section, path, method]
        add(`${method} ${path}`, [...pointer, 'requestBody'], requestBody?.content)
        for (const [status, { $ref, content }] of Object.entries(responses)) {
          const place = $ref?.slice(2).split('/') ?? [...pointer, 'responses', status]
          const shared =
            $ref === undefined ? content : (at(document, place) as { content: Record<string, Media> }).content
          add(`${method} ${path} ${status}`, place, shared)
        }
      }
  return found
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((inner, key) => (inner as Json | undefined)?.[key], value)

const escaped = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1')
