import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseEvents, textOf } from '#tests/support/client.ts'
import { type Call, type Fixture, MATRIX } from './access-matrix.ts'
import { callOf, FIXTURES_TIMEOUT_MS, type Operation, readOperations } from './cover-operations.ts'
import { gatherSociety, makeRecords, namesIn, type Society } from './fixture.ts'

/** The operations that also exist under /v1. */
export const OPERATIONS = readOperations().filter(({ path }) => path.startsWith('/api/'))

/** Error codes by status. All other statuses use the code of 400 or 500. */
const WORDS: Record<number, string[]> = {
  400: ['invalid_request'],
  401: ['unauthorized'],
  402: ['insufficient_credits', 'quota_exceeded'],
  403: ['forbidden'],
  404: ['not_found'],
  405: ['method_not_allowed'],
  409: ['conflict'],
  410: ['gone'],
  413: ['payload_too_large'],
  415: ['unsupported_media_type'],
  422: ['validation_error'],
  429: ['rate_limited'],
  500: ['internal_error'],
  502: ['internal_error'],
  503: ['unavailable'],
}

/** Valid calls of the operations without a token, by a new user. */
export const PUBLIC: Record<
  string,
  (person: { email: string; password: string; refreshToken: string }) => Call
> = {
  post_auth_signup: () => ({
    body: { ...NEW, email: `${crypto.randomUUID()}@example.com` },
  }),
  post_auth_login: ({ email, password }) => ({ body: { email, password } }),
  post_auth_refresh: ({ refreshToken }) => ({ body: { refresh_token: refreshToken } }),
  post_auth_logout: ({ refreshToken }) => ({ body: { refresh_token: refreshToken } }),
  post_auth_signup_invite: () => ({ body: { ...NEW, token: 'x' } }),
  post_auth_magic_link_accept: () => ({ body: { token: 'x' } }),
  post_auth_forgot_password: ({ email }) => ({ body: { email } }),
  post_auth_reset_password: ({ password }) => ({ body: { token: 'x', password } }),
  get_org_get_leave_link: () => ({ query: { token: 'x' } }),
  post_org_leave_by_link: () => ({ body: { token: 'x' } }),
  get_auth_methods: () => ({}),
  get_auth_oidc_start: () => ({}),
  get_auth_oidc_callback: () => ({ query: { state: 'x', code: 'x' } }),
  post_auth_oidc_exchange: () => ({ body: { code: 'x' } }),
  post_auth_verify_second_factor: () => ({ body: { challenge: 'x', code: '123456' } }),
  post_auth_passkeys_begin_sign_in: () => ({}),
  post_auth_passkeys_sign_in: () => ({
    body: {
      challenge: 'x',
      response: {
        id: 'x',
        rawId: 'x',
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON: 'x', authenticatorData: 'x', signature: 'x' },
      },
    },
  }),
  get_invitations_validate: () => ({ query: { token: 'x' } }),
  get_mcp_callback: () => ({ query: { state: 'x', code: 'x' } }),
  get_mcp_client_json: () => ({}),
  post_agent_deploy_create_visitor: () => ({
    query: { deployment_id: crypto.randomUUID() },
    body: { visitor_key: 'x'.repeat(43) },
  }),
}
const NEW = { password: 'correct horse battery', first_name: 'Ada', last_name: 'Lovelace' }

let society: Society
let validate: (prefix: Prefix, operation: Operation, answer: Answer) => string[]
const calls = new Map<string, [Call, Call]>()
let tokenOf: (id: string) => string | undefined

/** Calls each operation under both prefixes: without a token, with invalid input, and with a valid call. */
export function compareOperations(operations: readonly Operation[]): void {
  beforeAll(async () => {
    society = await gatherSociety()
    const { server, people, administrator } = society
    validate = await readValidators()
    // Operations that only read can run twice in one organization.
    const readers = operations.filter(({ method }) => method === 'GET')
    const forReading = await makeRecords(
      society,
      readers.flatMap(({ id }) => namesIn(callOf(id))),
    )
    const makeCalls = async ({ id, method, isPublic }: Operation): Promise<[Call, Call]> => {
      const call = PUBLIC[id]
      if (isPublic && call) return [call(await server.signUp()), call(await server.signUp())]
      const make = async (): Promise<Fixture> =>
        method === 'GET' ? forReading : makeRecords(society, namesIn(callOf(id)))
      const [one, other] = await Promise.all([make(), make()])
      return [callOf(id)(one), callOf(id)(other)]
    }
    await Promise.all(
      operations.map(async (operation) => calls.set(operation.id, await makeCalls(operation))),
    )
    const { deploymentId } = await makeRecords(society, ['deploymentId'])
    const path = `/api/agent_deploy/regenerate_key?deployment_id=${deploymentId}`
    const { body } = await server.call('POST', path, { token: people.O.token })
    tokenOf = (id) => {
      const [allowed = 'public'] = MATRIX[id] ?? []
      if (allowed === '') return body.api_key
      return allowed.includes('O') ? people.O.token : allowed.includes('S') ? administrator : undefined
    }
  }, FIXTURES_TIMEOUT_MS)
  afterAll(() => society.stop())

  describe.each(operations.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
    if (!operation.isPublic)
      test('without a token', async () => {
        expect((await compare(operation, calls.get(id) as [Call, Call])).status).toBe(401)
      })

    if (operation.takesBody)
      test('with a body of the wrong kind', async () => {
        const [call] = calls.get(id) as [Call, Call]
        const wrong = { ...call, body: ['of the wrong kind'] }
        const { status, text } = await compare(operation, [wrong, wrong], tokenOf(id))
        expect([status, JSON.parse(text).errors]).toEqual([400, [{ path: '', message: 'must be an object' }]])
      })

    if (operation.needsQuery)
      test('with a missing query parameter', async () => {
        const [{ body }] = calls.get(id) as [Call, Call]
        const { status } = await compare(operation, [{ body }, { body }], tokenOf(id))
        expect(status).toBe(400)
      })

    test('with a valid call', async () => {
      const [one, other] = calls.get(id) as [Call, Call]
      const asked: [Call, Call] = operation.takesFile
        ? [
            { ...one, body: note() },
            { ...other, body: note() },
          ]
        : [one, other]
      const { status } = await compare(operation, asked, tokenOf(id))
      expect([401, 500]).not.toContain(status)
    })
  })
}

type Prefix = '/api' | '/v1'

interface Answer {
  status: number
  headers: Headers
  type: string
  text: string
}

async function ask(prefix: Prefix, { method, path }: Operation, call: Call, token?: string): Promise<Answer> {
  const { query, body } = call
  const response = await fetch(
    `${society.server.url}${path.replace('/api', prefix)}?${new URLSearchParams(query)}`,
    {
      method,
      headers: {
        ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
      redirect: 'manual',
    },
  )
  const { status, headers } = response
  return { status, headers, type: headers.get('content-type') ?? '', text: await response.text() }
}

/**
 * Calls an operation under both prefixes and compares the responses. The calls run one after the other, because a user
 * can have only one export or import at a time. Returns the response of /api.
 */
async function compare(operation: Operation, [one, other]: [Call, Call], token?: string): Promise<Answer> {
  const bare = await ask('/api', operation, one, token)
  const enveloped = await ask('/v1', operation, other, token)
  expect(enveloped.type).toBe(bare.type)
  if (bare.status >= 400) expectSameError(bare, enveloped)
  else {
    expect(enveloped.status).toBe(bare.status)
    expectSameContent(bare, enveloped)
  }
  expect(validate('/api', operation, bare)).toEqual([])
  expect(validate('/v1', operation, enveloped)).toEqual([])
  return bare
}

function expectSameError(bare: Answer, enveloped: Answer): void {
  const { detail, code, values, errors } = alike(bare.text)
  const { status, error } = alike(enveloped.text)
  expect(bare.status === 400 ? [400, 422] : [bare.status]).toContain(enveloped.status)
  expect(status).toBe('error')
  expect(WORDS[enveloped.status] ?? ['invalid_request']).toContain(error.code)
  expect({ ...error, code }).toEqual({
    code,
    message: detail,
    details: { code, ...(values && { values }), ...(errors && { errors }), request_id: 'an id' },
  })
  expect(JSON.parse(enveloped.text).error.details.request_id).toBe(enveloped.headers.get('x-request-id'))
  if (errors) expect(enveloped.status).toBe(422)
}

function expectSameContent(bare: Answer, enveloped: Answer): void {
  if (bare.type.startsWith('application/json'))
    return expect(alike(enveloped.text)).toEqual({ status: 'success', data: alike(bare.text) })
  if (bare.type.startsWith('text/event-stream')) {
    // The number of words per event depends on timing.
    const [one, other] = [parseEvents(bare.text), parseEvents(enveloped.text)]
    expect(textOf(other)).toBe(textOf(one))
    return expect(Object.keys(other.at(-1)?.data ?? {})).toEqual(Object.keys(one.at(-1)?.data ?? {}))
  }
  // The bytes of a zip depend on the time.
  if (bare.type === 'application/zip') expect(enveloped.text.slice(0, 4)).toBe(bare.text.slice(0, 4))
  else expect(alike(JSON.stringify(enveloped.text))).toBe(alike(JSON.stringify(bare.text)))
  expect(enveloped.headers.get('content-disposition')).toBe(bare.headers.get('content-disposition'))
  expect(enveloped.headers.get('location')).toBe(bare.headers.get('location'))
}

/** Parses the JSON and replaces the values that always differ: ids, times, tokens, keys and durations. */
const alike = (text: string) =>
  JSON.parse(
    text
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'an id')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time')
      .replace(/\b[\w-]+\.[\w-]+\.[\w-]{20,}/g, 'a token')
      .replace(/\b(sk|dk|pr)_[\w-]+/g, 'a key')
      .replace(/\bwhsec_[\w+/=]+/g, 'a key')
      .replace(/"[\w-]{32,}"/g, '"a token"')
      .replace(/\b(state|signature|expires)=[\w-]+/g, '$1=')
      .replace(/-[0-9a-f]{12}"/g, '-made"')
      .replace(/\br[0-9a-f]{32}\b/g, 'a name')
      .replace(/"(latency_ms|execution_time|duration_ms)":[\d.]+/g, '"$1":0'),
  )

interface Response {
  $ref?: string
  content?: Record<string, object>
}
interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>
  components: { responses: Record<string, Response> }
}

/** Returns a function that checks whether a response's status, type and content match the document of its prefix. */
async function readValidators(): Promise<typeof validate> {
  const validators = new Map<Prefix, Ajv>()
  const documents = new Map<Prefix, Document>()
  for (const [prefix, address] of [
    ['/api', '/openapi.json'],
    ['/v1', '/v1/openapi.json'],
  ] as const) {
    const { body } = await society.server.call('GET', address)
    const ajv = new Ajv({ strict: false })
    addFormats.default(ajv)
    validators.set(prefix, ajv.addSchema(body, 'openapi'))
    documents.set(prefix, body)
  }
  return (prefix, { method, path }, { status, type, text }) => {
    const address = path.replace('/api', prefix)
    const document = documents.get(prefix) as Document
    const { responses = {} } = document.paths[address]?.[method.toLowerCase()] ?? {}
    const described = responses[status]
    if (described === undefined) return [`${status} is not documented: ${text}`]
    const [media = ''] = type.split(';')
    const shared = described.$ref?.split('/').at(-1)
    const { content } =
      shared === undefined ? described : (document.components.responses[shared] ?? described)
    if (content === undefined) return text === '' ? [] : [`${status} has content`]
    if (!(media in content)) return [`${media} is not documented`]
    if (media !== 'application/json') return []
    const place =
      shared === undefined
        ? ['paths', address, method.toLowerCase(), 'responses', status]
        : ['components', 'responses', shared]
    const reference = [...place, 'content', media, 'schema']
      .map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1'))
      .join('/')
    const check = validators.get(prefix)?.getSchema(`openapi#/${reference}`)
    if (check?.(JSON.parse(text))) return []
    return (check?.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}: ${text}`)
  }
}

const note = (): FormData => {
  const form = new FormData()
  form.set('file', new Blob(['A note.'], { type: 'text/plain' }), 'note.txt')
  return form
}
