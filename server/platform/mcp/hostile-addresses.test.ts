import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createNet } from '#platform/net/index.ts'
import {
  authorizationFailureOf,
  REDIRECT_URI,
  setAuthorizationStage,
} from '../../../tests/support/mcp/authorization-stage.ts'
import { McpAuthorizer } from './authorization.ts'
import { checkBrowserAddress } from './browser-address.ts'

/** Tests that malicious servers cannot direct requests to forbidden addresses. */

const stage = setAuthorizationStage()

const INSIDE = [
  () => `http://127.0.0.2:${stage.insidePort}/`,
  () => `https://127.0.0.2:${stage.insidePort}/`,
  () => `https://inside.example:${stage.insidePort}/`,
  () => `https://0x7f.2:${stage.insidePort}/`,
  () => `https://[::ffff:127.0.0.2]:${stage.insidePort}/`,
  () => 'http://169.254.169.254/latest/meta-data/',
  () => 'https://169.254.169.254/latest/meta-data/',
  () => 'https://10.0.0.1/',
]
/** Addresses that are recognizable without DNS. The excluded host name is rejected only when it is resolved. */
const LITERALS = INSIDE.filter((make) => !make().includes('inside.example'))
const BROKEN = [
  'javascript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'ftp://one.example/',
  '//x',
  '',
]
const UNSAFE = [
  `https://one.example/${'x'.repeat(3_000)}`,
  'http://one.example/',
  'https://user:secret@one.example/',
  'http://localhost.example/',
]

describe('an unsafe endpoint', () => {
  const ENDPOINTS = [
    'authorization_endpoint',
    'token_endpoint',
    'registration_endpoint',
    'revocation_endpoint',
  ]

  test.each(ENDPOINTS)('%s is refused', async (endpoint) => {
    for (const address of [...LITERALS.map((make) => make()), ...BROKEN, ...UNSAFE]) {
      stage.server.faults.changeMetadata = (metadata) => ({ ...metadata, [endpoint]: address })
      expect(await authorizationFailureOf(stage.begin()), address).toMatchObject({ kind: 'invalid' })
    }
    expect(stage.server.counts.registrations).toBe(0)
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
  ])('%j is refused', async (address) => {
    stage.server.faults.changeMetadata = (metadata) => ({ ...metadata, authorization_endpoint: address })
    expect(await authorizationFailureOf(stage.begin())).toMatchObject({ kind: 'invalid' })
    const fixed = { client_id: 'x', authorization_url: address, token_url: `${stage.server.issuer}/token` }
    expect(await authorizationFailureOf(stage.begin({ fixed }))).toMatchObject({ kind: 'invalid' })
    expect(stage.server.counts.registrations).toBe(0)
  })

  test('line breaks are removed from a URL', async () => {
    const address = `${stage.server.issuer}/auth\r\norize`
    stage.server.faults.changeMetadata = (metadata) => ({ ...metadata, authorization_endpoint: address })
    expect((await stage.begin()).url).toMatch(`${stage.server.issuer}/authorize?`)
    expect(() => checkBrowserAddress(stage.net, address)).toThrow('not a safe web address')
  })

  test('parameters in the authorization endpoint cannot override ours', async () => {
    stage.server.faults.changeMetadata = (metadata) => ({
      ...metadata,
      authorization_endpoint: `${stage.server.issuer}/authorize?redirect_uri=https://evil.example/&state=evil&client_id=evil&policy=1`,
    })
    const { url, pending } = await stage.begin()
    const { searchParams } = new URL(url)
    expect(searchParams.getAll('redirect_uri')).toEqual([REDIRECT_URI])
    expect(searchParams.getAll('state')).toEqual(['the-state'])
    expect(searchParams.getAll('client_id')).toEqual([pending.client.client_id])
    expect(searchParams.get('policy')).toBe('1')
  })

  test('a local address is refused as a browser address, unless private networks are allowed', async () => {
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
    await authorizationFailureOf(unreachable.begin({ url: stage.server.url }, 'state', stage.signal))
    expect(stage.server.paths).toEqual([])
    await strict.close()
  })
})

describe('metadata with a private address', () => {
  test.each(INSIDE.map((make, index) => [index, make] as const))(
    'is refused (address %i)',
    async (_index, make) => {
      const address = make()
      stage.server.faults.challenge = `Bearer resource_metadata="${address}"`
      expect(await authorizationFailureOf(stage.begin())).toMatchObject({ kind: 'invalid' })
      stage.server.faults.challenge = null
      stage.server.faults.changeResource = (metadata) => ({ ...metadata, authorization_servers: [address] })
      expect(await authorizationFailureOf(stage.begin())).toMatchObject({ kind: 'invalid' })
      expect(await authorizationFailureOf(stage.begin({ url: address }))).toMatchObject({ kind: 'invalid' })
      stage.server.faults.changeResource = (metadata) => metadata
      stage.server.faults.changeMetadata = (metadata) => ({ ...metadata, registration_endpoint: address })
      expect(await authorizationFailureOf(stage.begin())).toMatchObject({ kind: 'invalid' })
    },
  )

  test('never gets a code sent to its token endpoint', async () => {
    stage.server.faults.changeMetadata = (metadata) => ({ ...metadata, token_endpoint: INSIDE[2]?.() })
    const { url, pending } = await stage.begin()
    const back = new URL(await stage.server.consent(url))
    const answer = { code: String(back.searchParams.get('code')), iss: stage.server.issuer }
    const failure = await authorizationFailureOf(stage.authorizer.finish(pending, answer, stage.signal), [
      answer.code,
    ])
    expect(failure.message).toContain('not a public address')
  })
})

describe('a redirect', () => {
  const answering = async (listener: RequestListener) => {
    const http = createServer(listener)
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
    return { origin, close: () => new Promise((resolve) => http.close(resolve)) }
  }

  test('of a metadata document is followed only within its origin', async () => {
    const asked: string[] = []
    const { origin, close } = await answering((request, response) => {
      asked.push(request.url ?? '')
      const document = { resource: stage.server.url, authorization_servers: [stage.server.issuer] }
      const location = {
        '/near': '/here',
        '/far': `${stage.server.issuer}/far`,
        '/inside': INSIDE[0]?.(),
        '/loop': '/loop',
      }[request.url ?? '']
      if (location) response.writeHead(302, { location }).end()
      else response.end(JSON.stringify(document))
    })
    const at = (path: string) => stage.begin({ challenge: `Bearer resource_metadata="${origin}${path}"` })
    expect((await at('/near')).pending.issuer).toBe(stage.server.issuer)
    for (const path of ['/far', '/inside', '/loop'])
      expect(await authorizationFailureOf(at(path)), path).toMatchObject({ kind: 'invalid' })
    expect(stage.server.paths).not.toContain('/far')
    expect(asked.filter((path) => path === '/loop')).toHaveLength(6)
    await close()
  })

  test('of a token endpoint is not followed', async () => {
    const { origin, close } = await answering((_request, response) =>
      response.writeHead(307, { location: `${stage.server.issuer}/token` }).end(),
    )
    stage.server.faults.changeMetadata = (metadata) => ({ ...metadata, token_endpoint: `${origin}/token` })
    await authorizationFailureOf(stage.connect())
    expect(stage.server.asked.map(({ endpoint }) => endpoint)).not.toContain('token')
    await close()
  })
})
