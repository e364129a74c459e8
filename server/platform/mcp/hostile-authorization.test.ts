import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createNet } from '#platform/net/index.ts'
import {
  type AuthorizedMcpServer,
  startAuthorizedMcpServer,
} from '../../../tests/support/mcp/authorized-server.ts'
import { McpAuthorizer, type ServerToAuthorize, type StoredGrant } from './authorization.ts'
import { AuthorizationError } from './authorization-error.ts'
import { checkBrowserAddress } from './browser-address.ts'

/** Servers that mean no good, or are led by somebody who does not. Nothing may be reached at 127.0.0.2, the inside. */

const REDIRECT_URI = 'https://parley.example/api/mcp/callback'
const net = createNet({
  allowPrivateNetwork: ['127.0.0.1'],
  resolveName: (_name, _options, tell) => tell(null, [{ address: '127.0.0.2', family: 4 }]),
})
const signal = new AbortController().signal
const authorizer = new McpAuthorizer(net, {
  redirectUri: REDIRECT_URI,
  clientMetadataUrl: null,
  clientName: 'Parley',
})

let insideConnections = 0
const inside = createServer((_request, response) => response.end('{}'))
inside.on('connection', () => insideConnections++)
let insidePort = 0
let server: AuthorizedMcpServer
beforeAll(async () => {
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.2', resolve))
  insidePort = (inside.address() as AddressInfo).port
})
beforeEach(async () => {
  server = await startAuthorizedMcpServer()
})
afterEach(async () => {
  await server.close()
  expect(insideConnections).toBe(0)
})
afterAll(async () => {
  await net.close()
  await new Promise((resolve) => inside.close(resolve))
})

const begin = (more: Partial<ServerToAuthorize> = {}) =>
  authorizer.begin({ url: server.url, ...more }, 'the-state', signal)

async function connect(): Promise<StoredGrant> {
  const { url, pending } = await begin()
  const back = new URL(await server.consent(url))
  return authorizer.finish(pending, Object.fromEntries(back.searchParams) as { code: string }, signal)
}

/** Whatever it is, it tells no secret. */
async function failureOf(work: Promise<unknown>, secrets: string[] = []): Promise<AuthorizationError> {
  const failure = await work.then(
    () => null,
    (error: unknown) => error,
  )
  expect(failure).toBeInstanceOf(AuthorizationError)
  const { message, stack, cause } = failure as AuthorizationError
  expect(message).toMatch(/^[^\p{C}]{10,600}$/u)
  for (const secret of secrets) expect(`${message} ${stack} ${String(cause)}`).not.toContain(secret)
  return failure as AuthorizationError
}

const INSIDE = [
  () => `http://127.0.0.2:${insidePort}/`,
  () => `https://127.0.0.2:${insidePort}/`,
  () => `https://inside.example:${insidePort}/`,
  () => `https://0x7f.2:${insidePort}/`,
  () => `https://[::ffff:127.0.0.2]:${insidePort}/`,
  () => 'http://169.254.169.254/latest/meta-data/',
  () => 'https://169.254.169.254/latest/meta-data/',
  () => 'https://10.0.0.1/',
]
/** Without the one name, which shows only when somebody connects. */
const LITERALS = INSIDE.filter((make) => !make().includes('inside.example'))
const BROKEN = [
  'javascript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'ftp://one.example/',
  '//x',
  '',
]
const UNSAFE = ['http://one.example/', 'https://user:secret@one.example/', 'http://localhost.example/']

describe('an endpoint that is not safe', () => {
  const ENDPOINTS = [
    'authorization_endpoint',
    'token_endpoint',
    'registration_endpoint',
    'revocation_endpoint',
  ]

  test.each(ENDPOINTS)('%s leads nobody anywhere', async (endpoint) => {
    for (const address of [...LITERALS.map((make) => make()), ...BROKEN, ...UNSAFE]) {
      server.faults.changeMetadata = (metadata) => ({ ...metadata, [endpoint]: address })
      expect(await failureOf(begin()), address).toMatchObject({ kind: 'invalid' })
    }
    expect(server.counts.registrations).toBe(0)
  })

  test.each([
    'https://one.example/$(touch$IFS.x)',
    'https://one.example/`id`',
    'https://one.example/;id',
    'https://one.example/a|b',
    'https://one.example/"x',
    "https://one.example/'x",
    'https://one.example/<script>',
    'https://one.example/a b',
    'https://one.example/a\u0000b',
    'https://one.example/\u202eb',
    'https://one.example\\@two.example/',
    'https://one.example/#fragment',
    'https://one.example/{x}',
    `https://one.example/${'x'.repeat(3_000)}`,
  ])('%j is no address for a browser', async (address) => {
    server.faults.changeMetadata = (metadata) => ({ ...metadata, authorization_endpoint: address })
    expect(await failureOf(begin())).toMatchObject({ kind: 'invalid' })
    const fixed = { client_id: 'x', authorization_url: address, token_url: `${server.issuer}/token` }
    expect(await failureOf(begin({ fixed }))).toMatchObject({ kind: 'invalid' })
    expect(server.counts.registrations).toBe(0)
  })

  test('a line break is no part of an address', async () => {
    const address = `${server.issuer}/auth\r\norize`
    server.faults.changeMetadata = (metadata) => ({ ...metadata, authorization_endpoint: address })
    expect((await begin()).url).toMatch(`${server.issuer}/authorize?`)
    expect(() => checkBrowserAddress(net, address)).toThrow('not a safe web address')
  })

  test('what the endpoint asks for in our name is asked for as we mean it', async () => {
    server.faults.changeMetadata = (metadata) => ({
      ...metadata,
      authorization_endpoint: `${server.issuer}/authorize?redirect_uri=https://evil.example/&state=evil&client_id=evil&policy=1`,
    })
    const { url, pending } = await begin()
    const { searchParams } = new URL(url)
    expect(searchParams.getAll('redirect_uri')).toEqual([REDIRECT_URI])
    expect(searchParams.getAll('state')).toEqual(['the-state'])
    expect(searchParams.getAll('client_id')).toEqual([pending.client.client_id])
    expect(searchParams.get('policy')).toBe('1')
  })

  test('this machine is nobody else’s browser where the guard does not allow it', async () => {
    const strict = createNet({ allowPrivateNetwork: false })
    for (const host of ['localhost', 'a.localhost', '127.0.0.1', '[::1]'])
      expect(() => checkBrowserAddress(strict, `http://${host}:8080/authorize`), host).toThrow(
        'ALLOW_PRIVATE_NETWORK',
      )
    const unreachable = new McpAuthorizer(strict, {
      redirectUri: REDIRECT_URI,
      clientMetadataUrl: null,
      clientName: '',
    })
    await failureOf(unreachable.begin({ url: server.url }, 'state', signal))
    expect(server.paths).toEqual([])
    await strict.close()
  })
})

describe('documents that point inside', () => {
  test.each(INSIDE.map((make, index) => [index, make] as const))('place %i', async (_index, make) => {
    const address = make()
    server.faults.challenge = `Bearer resource_metadata="${address}"`
    expect(await failureOf(begin())).toMatchObject({ kind: 'invalid' })
    server.faults.challenge = null
    server.faults.changeResource = (metadata) => ({ ...metadata, authorization_servers: [address] })
    expect(await failureOf(begin())).toMatchObject({ kind: 'invalid' })
    expect(await failureOf(begin({ url: address }))).toMatchObject({ kind: 'invalid' })
    server.faults.changeResource = (metadata) => metadata
    server.faults.changeMetadata = (metadata) => ({ ...metadata, registration_endpoint: address })
    expect(await failureOf(begin())).toMatchObject({ kind: 'invalid' })
  })

  test('a token endpoint whose name leads inside gets no code', async () => {
    server.faults.changeMetadata = (metadata) => ({ ...metadata, token_endpoint: INSIDE[2]?.() })
    const { url, pending } = await begin()
    const back = new URL(await server.consent(url))
    const answer = { code: String(back.searchParams.get('code')), iss: server.issuer }
    const failure = await failureOf(authorizer.finish(pending, answer, signal), [answer.code])
    expect(failure.message).toContain('not at a public address')
  })
})

describe('redirects', () => {
  const answering = async (listener: RequestListener) => {
    const http = createServer(listener)
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
    return { origin, close: () => new Promise((resolve) => http.close(resolve)) }
  }

  test('of a document: within its origin, and not off it', async () => {
    const asked: string[] = []
    const { origin, close } = await answering((request, response) => {
      asked.push(request.url ?? '')
      const document = { resource: server.url, authorization_servers: [server.issuer] }
      const location = {
        '/near': '/here',
        '/far': `${server.issuer}/far`,
        '/inside': INSIDE[0]?.(),
        '/loop': '/loop',
      }[request.url ?? '']
      if (location) response.writeHead(302, { location }).end()
      else response.end(JSON.stringify(document))
    })
    const at = (path: string) => begin({ challenge: `Bearer resource_metadata="${origin}${path}"` })
    expect((await at('/near')).pending.issuer).toBe(server.issuer)
    for (const path of ['/far', '/inside', '/loop'])
      expect(await failureOf(at(path)), path).toMatchObject({ kind: 'invalid' })
    expect(server.paths).not.toContain('/far')
    expect(asked.filter((path) => path === '/loop')).toHaveLength(6)
    await close()
  })

  test('of a token endpoint: the code goes nowhere else', async () => {
    const { origin, close } = await answering((_request, response) =>
      response.writeHead(307, { location: `${server.issuer}/token` }).end(),
    )
    server.faults.changeMetadata = (metadata) => ({ ...metadata, token_endpoint: `${origin}/token` })
    await failureOf(connect())
    expect(server.asked.map(({ endpoint }) => endpoint)).not.toContain('token')
    await close()
  })
})

describe('documents that do not fit', () => {
  test.each([
    'https://evil.example/mcp',
    'ORIGIN/mcp/other',
    'ORIGIN/mc',
    'ORIGIN/mcp#part',
    'not an address',
  ])('the resource %s', async (resource) => {
    const said = resource.replace('ORIGIN', new URL(server.url).origin)
    server.faults.changeResource = (metadata) => ({ ...metadata, resource: said })
    expect(await failureOf(begin())).toMatchObject({ kind: 'invalid' })
    expect(server.counts.registrations).toBe(0)
  })

  test.each([
    { issuer: 'https://evil.example' },
    { issuer: 'ISSUER/' },
    { issuer: 'ISSUER/tenant' },
    { issuer: undefined },
    { response_types_supported: ['token'] },
    { code_challenge_methods_supported: ['plain'] },
    { code_challenge_methods_supported: undefined },
    { scopes_supported: 'all' },
  ])('the authorization server says %j', async (change) => {
    server.faults.changeMetadata = (metadata) => ({
      ...metadata,
      ...change,
      ...(change.issuer && { issuer: change.issuer.replace('ISSUER', server.issuer) }),
    })
    expect(await failureOf(begin())).toMatchObject({ kind: 'invalid' })
    expect(server.counts.registrations).toBe(0)
  })

  test('an administrator’s client may know better than a server that is silent about PKCE, and uses it', async () => {
    const fixed = { client_id: 'by hand' }
    server.faults.changeMetadata = (metadata) => ({
      ...metadata,
      code_challenge_methods_supported: undefined,
    })
    expect((await begin({ fixed })).url).toContain('code_challenge_method=S256')
    server.faults.noS256 = true
    server.faults.changeMetadata = (metadata) => metadata
    await failureOf(begin({ fixed }))
  })

  test('an authorization server that is named and says nothing is not guessed', async () => {
    server.faults.changeMetadata = () => 'nothing'
    expect(await failureOf(begin())).toMatchObject({ kind: 'invalid' })
    expect(server.asked).toEqual([])
  })

  test.each([
    ['too long', `{"x":"${'x'.repeat(1_100_000)}"}`, 'more than 1 MB'],
    ['too deep', `{"resource":${'['.repeat(400_000)}${']'.repeat(400_000)}}`, 'resource is not valid'],
  ])('%s', async (_name, text, sentence) => {
    server.faults.resourceText = text
    expect((await failureOf(begin())).message).toContain(sentence)
  })

  test('scopes are bounded, and only what may be one', async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `scope${index}`)
    server.faults.changeResource = (metadata) => ({
      ...metadata,
      scopes_supported: ['a"b', 'a\\b', 'ü', ...many],
    })
    const { pending } = await begin()
    expect(pending.requestedScope?.split(' ')).toEqual([...many.slice(0, 100)])
  })

  test.each([
    { client_id: '' },
    { client_id: 'x'.repeat(5_000) },
    { client_id: undefined },
    { client_secret: 'x'.repeat(5_000), token_endpoint_auth_method: 'none' },
    { client_secret: 'x', token_endpoint_auth_method: 'private_key_jwt' },
  ])('a client that can not be used', async (change) => {
    server.faults.changeClient = (client) => ({ ...client, ...change })
    expect(await failureOf(begin())).toMatchObject({ kind: 'invalid' })
  })
})

describe('who answers', () => {
  test.each(['https://evil.example', null])('an answer of %s is not taken', async (iss) => {
    const { url, pending } = await begin()
    server.faults.iss = iss
    const back = new URL(await server.consent(url))
    const answer = Object.fromEntries(back.searchParams) as { code: string }
    const failure = await failureOf(authorizer.finish(pending, answer, signal), [answer.code])
    expect(failure).toMatchObject({ kind: 'invalid' })
    expect(failure.message).not.toContain('evil')
    const said = { error: 'access_denied', error_description: 'pay at evil.example', ...(iss && { iss }) }
    expect((await failureOf(authorizer.finish(pending, said, signal))).message).not.toContain('pay')
    expect(server.asked.map(({ endpoint }) => endpoint)).not.toContain('token')
  })

  test('what a provider says is one bounded line', async () => {
    const { pending } = await begin()
    const error_description = `no\r\nSet-Cookie: x\u0000\u202e ${'long '.repeat(1_000)}`
    const said = { error: 'access_denied', error_description, iss: server.issuer }
    const { message } = await failureOf(authorizer.finish(pending, said, signal))
    expect(message).toContain('access_denied: no Set-Cookie: x long')
    expect(message.length).toBeLessThan(400)
  })

  test.each(['', 'x'.repeat(5_000)])('a code that is none', async (code) => {
    const { pending } = await begin()
    await failureOf(authorizer.finish(pending, { code, iss: server.issuer }, signal))
    expect(server.asked.map(({ endpoint }) => endpoint)).not.toContain('token')
  })
})

describe('tokens', () => {
  test.each([
    { access_token: undefined },
    { access_token: '' },
    { access_token: 'two words' },
    { access_token: 'a\r\nx-header: b' },
    { access_token: 'x'.repeat(20_000) },
    { refresh_token: 'x'.repeat(20_000) },
    { token_type: 'mac' },
    { token_type: undefined },
    { expires_in: 'soon' },
  ])('that can not be used', async (change) => {
    const good = await connect()
    server.faults.changeTokens = (tokens) => ({ ...tokens, ...change })
    const secrets = Object.values(change).filter((said) => (said?.length ?? 0) > 8) as string[]
    expect(await failureOf(connect(), secrets)).toMatchObject({ kind: 'invalid' })
    expect(await failureOf(authorizer.refresh(good, signal), secrets)).toMatchObject({ kind: 'invalid' })
  })

  test('whatever a server says back, no secret is told', async () => {
    const { url, pending } = await begin()
    const back = new URL(await server.consent(url))
    const code = String(back.searchParams.get('code'))
    server.faults.echo = true
    const finishing = authorizer.finish(pending, { code, iss: server.issuer }, signal)
    const failure = await failureOf(finishing, [code, pending.codeVerifier])
    expect(failure.message).toContain('invalid_grant: code=… code_verifier=…')
    server.faults.echo = false
    const grant = await connect()
    server.faults.echo = true
    const secrets = [grant.tokens.access_token, String(grant.tokens.refresh_token)]
    expect(await failureOf(authorizer.refresh(grant, signal), secrets)).toMatchObject({ kind: 'refused' })
    server.faults.echoPlain = true
    expect(await failureOf(authorizer.refresh(grant, signal), secrets)).toMatchObject({ kind: 'unreachable' })
  })
})

test('a server that does not end is not waited for', async () => {
  const grant = await connect()
  server.faults.tokenDelayMs = 60_000
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const refreshing = failureOf(authorizer.refresh(grant, signal))
    while (server.counts.refreshes === 0) await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await refreshing).toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('15 seconds'),
    })
  } finally {
    vi.useRealTimers()
  }
})
