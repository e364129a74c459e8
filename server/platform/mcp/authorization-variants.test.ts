import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createNet } from '#platform/net/index.ts'
import {
  type AuthorizedMcpServer,
  startAuthorizedMcpServer,
} from '../../../tests/support/mcp/authorized-server.ts'
import { McpAuthorizer, type ServerToAuthorize, type StoredGrant } from './authorization.ts'
import { isSameIssuer } from './issuers.ts'

/** Tests authorization servers that deviate from the RFCs without harm. */

const REDIRECT_URI = 'https://parley.example/api/mcp/callback'
const net = createNet({ allowPrivateNetwork: ['127.0.0.0/8'] })
const signal = new AbortController().signal
const authorizer = new McpAuthorizer(net, {
  redirectUri: REDIRECT_URI,
  clientMetadataUrl: null,
  clientName: 'Parley',
})

let server: AuthorizedMcpServer
beforeEach(async () => {
  server = await startAuthorizedMcpServer()
})
afterEach(() => server.close())
afterAll(() => net.close())

async function connect(more: Partial<ServerToAuthorize> = {}): Promise<StoredGrant> {
  const { url, pending } = await authorizer.begin({ url: server.url, ...more }, 'the-state', signal)
  const back = new URL(await server.consent(url))
  return authorizer.finish(pending, Object.fromEntries(back.searchParams) as { code: string }, signal)
}
const failureOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no failure',
    (error: Error) => error.message,
  )

test.each([
  ['https://a.example', 'https://a.example/', true],
  ['https://a.example/', 'https://a.example', true],
  ['https://A.example', 'https://a.example/', true],
  ['https://a.example:443/', 'https://a.example', true],
  ['https://a.example/x', 'https://a.example/x', true],
  ['https://a.example', 'https://b.example', false],
  ['https://a.example', 'http://a.example/', false],
  ['https://a.example:8443', 'https://a.example/', false],
  ['https://a.example', 'https://a.example/x', false],
  ['https://a.example/x', 'https://a.example/x/', false],
  ['https://a.example', 'https://a.example//', false],
  ['https://a.example', 'https://a.example/?x', false],
  ['https://a.example', 'https://user@a.example/', false],
  ['https://a.example', 'not a URL', false],
])('the issuers %s and %s are the same: %s', (one, other, expected) => {
  expect(isSameIssuer(one, other)).toBe(expected)
})

describe('a root issuer with and without a slash is the same', () => {
  test.each([
    ['ISSUER/', 'ISSUER', undefined],
    ['ISSUER', 'ISSUER/', undefined],
    ['ISSUER/', 'ISSUER/', undefined],
    ['ISSUER/', 'ISSUER', 'ISSUER'],
    ['ISSUER', 'ISSUER/', 'ISSUER/'],
    ['ISSUER/', 'ISSUER', 'ISSUER/'],
  ])('in metadata %s, in the resource %s, in the response %s', async (metadata, resource, iss) => {
    const at = (text: string) => text.replace('ISSUER', server.issuer)
    server.faults.changeMetadata = (given) => ({ ...given, issuer: at(metadata) })
    server.faults.changeResource = (given) => ({ ...given, authorization_servers: [at(resource)] })
    if (iss !== undefined) server.faults.iss = at(iss)
    const grant = await authorizer.refresh(await connect(), signal)
    expect(grant.tokens.access_token).toMatch(/^access-/)
  })

  test.each([
    ['ISSUER/other', 'ISSUER'],
    ['https://evil.example/', 'ISSUER'],
    ['ISSUER.evil.example/', 'ISSUER'],
  ])('but %s is another issuer than %s', async (metadata, resource) => {
    const at = (text: string) => text.replace('ISSUER', server.issuer)
    server.faults.changeMetadata = (given) => ({ ...given, issuer: at(metadata) })
    server.faults.changeResource = (given) => ({ ...given, authorization_servers: [at(resource)] })
    expect(await failureOf(connect())).toContain('another authorization server')
  })

  test('a client registered under the other form is reused', async () => {
    const { registered } = await authorizer.begin({ url: server.url }, 'the-state', signal)
    const client = registered?.client ?? { client_id: '' }
    server.faults.changeMetadata = (given) => ({ ...given, issuer: `${server.issuer}/` })
    await connect({ known: { issuer: server.issuer, redirectUri: REDIRECT_URI, client } })
    expect(server.counts.registrations).toBe(1)
  })
})

test('a resource may end in a slash', async () => {
  server.faults.anyResource = true
  server.faults.changeResource = (given) => ({ ...given, resource: `${server.url}/` })
  const { pending } = await authorizer.begin({ url: server.url }, 'the-state', signal)
  expect(pending.resource).toBe(`${server.url}/`)
})

describe('a form-encoded token response', () => {
  const form = (fields: Record<string, unknown>) =>
    new URLSearchParams(
      Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString()

  test('is read, also of a refresh', async () => {
    server.faults.changeTokens = form
    const grant = await connect()
    expect(grant.tokens).toMatchObject({
      access_token: expect.stringMatching(/^access-/),
      refresh_token: expect.stringMatching(/^refresh-/),
      expires_in: 3_600,
      token_type: 'Bearer',
    })
    expect((await authorizer.refresh(grant, signal)).tokens.access_token).not.toBe(grant.tokens.access_token)
  })

  test('may have few and empty fields', async () => {
    server.faults.changeTokens = ({ access_token }) =>
      `${form({ access_token })}&scope=&refresh_token=&token_type=bearer\n`
    const { tokens } = await connect()
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^access-/),
      token_type: 'Bearer',
      scope: 'tools:use offline_access',
    })
  })

  test('may be an error', async () => {
    server.faults.changeTokens = () => 'error=bad_verification_code&error_description=The+code+has+expired.'
    expect(await failureOf(connect())).toContain('bad_verification_code: The code has expired.')
  })
})

describe('a token response', () => {
  const without = (name: string) => (tokens: Record<string, unknown>) => ({ ...tokens, [name]: undefined })
  const put = (fields: object) => (tokens: Record<string, unknown>) => ({ ...tokens, ...fields })
  test.each<[string, (tokens: Record<string, unknown>) => unknown]>([
    ['has no token_type', without('token_type')],
    ['has a null token_type', put({ token_type: null })],
    ['has a blank token_type', put({ token_type: ' ' })],
    ['has a token_type in lower case', put({ token_type: 'bearer' })],
    ['has a token_type with blanks', put({ token_type: 'BEARER ' })],
    [
      'is a form without token_type',
      ({ access_token, expires_in }) => `access_token=${access_token}&expires_in=${expires_in}`,
    ],
    ['has a lifetime that is a string', put({ expires_in: '3600' })],
    ['has a null scope', put({ scope: null })],
    ['has null tokens beside it', put({ id_token: null, issuer: null })],
    ['has empty tokens beside it', put({ id_token: '' })],
  ])('%s: the token is a Bearer token', async (_kind, changeTokens) => {
    server.faults.changeTokens = changeTokens
    const { tokens } = await connect()
    expect(tokens).toMatchObject({
      access_token: expect.stringMatching(/^access-/),
      token_type: 'Bearer',
      expires_in: 3_600,
      scope: 'tools:use offline_access',
    })
  })

  test.each<[string, object, object]>([
    ['an empty lifetime', { expires_in: '' }, {}],
    ['a list of scopes', { scope: ['a', 'b'], expires_in: null }, { scope: 'a b' }],
    ['no refresh token', { refresh_token: '', expires_in: null }, {}],
    ['false in place of a refresh token', { refresh_token: false, expires_in: null }, {}],
  ])('may have %s', async (_kind, fields, expected) => {
    server.faults.changeTokens = put(fields)
    const { tokens } = await connect()
    expect(tokens.expires_in).toBeUndefined()
    expect(tokens).toMatchObject({ token_type: 'Bearer', ...expected })
    if ('refresh_token' in fields) expect(tokens).not.toHaveProperty('refresh_token')
  })

  test('without token_type is read at a refresh, too', async () => {
    const grant = await connect()
    server.faults.changeTokens = without('token_type')
    const { tokens } = await authorizer.refresh(grant, signal)
    expect(tokens).toMatchObject({ token_type: 'Bearer', access_token: expect.stringMatching(/^access-/) })
    expect(tokens.access_token).not.toBe(grant.tokens.access_token)
  })

  test.each(['DPoP', 'mac', 'N_A', 'urn:bearer'])('with the token_type %s is refused', async (token_type) => {
    server.faults.changeTokens = put({ token_type })
    expect(await failureOf(connect())).not.toBe('no failure')
  })
})

test.each([
  ['s3 c+r/e:t%=é', 'client'],
  ['plain-secret_1.~', 'client'],
  ['secret', 'a client: id/with?%&='],
  ['пароль&&', 'https://parley.example/client.json'],
  ["!'()*", 'client'],
])('the secret %s of the client %s is encoded for Basic', async (client_secret, client_id) => {
  await server.close()
  const fixed = { client_id, client_secret }
  server = await startAuthorizedMcpServer({ clients: [{ ...fixed, redirect_uris: [REDIRECT_URI] }] })
  const grant = await authorizer.refresh(await connect({ fixed }), signal)
  await authorizer.revoke(grant, signal)
  expect(server.counts).toMatchObject({ exchanges: 1, refreshes: 1, revocations: 2 })
  expect(server.asked.some(({ parameters }) => 'client_secret' in parameters)).toBe(false)
})

test.each<[string, string, (faults: AuthorizedMcpServer['faults']) => void]>([
  [
    'protected resource metadata',
    'resource',
    (faults) => Object.assign(faults, { changeResource: () => ({ resource: 1 }) }),
  ],
  [
    'authorization server metadata',
    'token_endpoint',
    (faults) =>
      Object.assign(faults, { changeMetadata: (given: object) => ({ ...given, token_endpoint: undefined }) }),
  ],
  [
    'client registration response',
    'client_id',
    (faults) => Object.assign(faults, { changeClient: (given: object) => ({ ...given, client_id: 5 }) }),
  ],
  [
    'token response',
    'access_token',
    (faults) => Object.assign(faults, { changeTokens: () => ({ token_type: 'Bearer' }) }),
  ],
  [
    'token response',
    'it is no JSON',
    (faults) => Object.assign(faults, { changeTokens: () => '<html>Welcome</html>' }),
  ],
  [
    'token response',
    'token_type',
    (faults) => Object.assign(faults, { changeTokens: () => ({ access_token: 'a', token_type: 7 }) }),
  ],
])('an invalid %s (%s) is named by what it is', async (document, field, break_) => {
  break_(server.faults)
  const message = await failureOf(connect())
  const { host } = new URL(document.startsWith('protected') ? server.url : server.issuer)
  expect(message).toContain(`The ${document} of ${host} is not valid`)
  expect(message).toContain(field)
  if (!document.endsWith('metadata')) expect(message).not.toContain('metadata')
})
