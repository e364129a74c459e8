import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createNet } from '#platform/net/index.ts'
import {
  type AuthorizedMcpServer,
  startAuthorizedMcpServer,
} from '../../../tests/support/mcp/authorized-server.ts'
import {
  McpAuthorizer,
  type PendingAuthorization,
  type ServerToAuthorize,
  type StoredGrant,
} from './authorization.ts'
import { AuthorizationError } from './authorization-error.ts'
import { widenScope } from './scopes.ts'

/** Tests a complete connection to a server behind a strict authorization server, from consent to revocation. */

const REDIRECT_URI = 'https://parley.example/api/mcp/callback'
const DOCUMENT_URL = 'https://parley.example/api/mcp/client.json'
const net = createNet({ allowPrivateNetwork: ['127.0.0.0/8'] })
const signal = new AbortController().signal
const authorizer = new McpAuthorizer(net, {
  redirectUri: REDIRECT_URI,
  clientMetadataUrl: null,
  clientName: 'Parley',
})
const withDocument = new McpAuthorizer(net, {
  redirectUri: REDIRECT_URI,
  clientMetadataUrl: DOCUMENT_URL,
  clientName: 'Parley',
})

let server: AuthorizedMcpServer
const start = async (
  ...options: Parameters<typeof startAuthorizedMcpServer>
): Promise<AuthorizedMcpServer> => {
  await server?.close()
  server = await startAuthorizedMcpServer(...options)
  return server
}
beforeEach(() => start())
afterEach(() => server.close())
afterAll(() => net.close())

const begin = (more: Partial<ServerToAuthorize> = {}, who = authorizer) =>
  who.begin({ url: server.url, ...more }, 'the-state', signal)

/** Responds to the consent page and returns the callback's parameters. */
async function consent(url: string, says?: 'yes' | 'no') {
  const back = new URL(await server.consent(url, says))
  return Object.fromEntries(back.searchParams) as { code: string; iss?: string; state: string }
}

async function connect(more: Partial<ServerToAuthorize> = {}, who = authorizer): Promise<StoredGrant> {
  const { url, pending } = await begin(more, who)
  const stored = JSON.parse(JSON.stringify(pending)) as PendingAuthorization
  const grant = await who.finish(stored, await consent(url), signal)
  return JSON.parse(JSON.stringify(grant)) as StoredGrant
}

async function failureOf(work: Promise<unknown>): Promise<AuthorizationError> {
  const failure = await work.then(
    () => null,
    (error: unknown) => error,
  )
  expect(failure).toBeInstanceOf(AuthorizationError)
  return failure as AuthorizationError
}

const call = (token: string): Promise<number> =>
  fetch(server.url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  }).then(({ status }) => status)

test('a user connects, and the token works', async () => {
  const { url, pending, registered } = await begin()
  expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
    response_type: 'code',
    client_id: pending.client.client_id,
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
    redirect_uri: REDIRECT_URI,
    state: 'the-state',
    scope: 'tools:use offline_access',
    prompt: 'consent',
    resource: server.url,
  })
  expect(registered).toEqual({ issuer: server.issuer, client: pending.client })
  const answer = await consent(url)
  expect(answer.state).toBe('the-state')
  const grant = await authorizer.finish(pending, answer, signal)
  expect(grant.tokens).toEqual({
    access_token: expect.any(String),
    refresh_token: expect.any(String),
    token_type: 'Bearer',
    expires_in: 3_600,
    scope: 'tools:use offline_access',
  })
  expect(JSON.stringify(grant)).not.toContain(pending.codeVerifier)
  expect(await call(grant.tokens.access_token)).toBe(200)
  expect(server.counts).toMatchObject({ registrations: 1, exchanges: 1 })
})

describe('client identity', () => {
  test('reuses a registration for the same issuer and redirect URI', async () => {
    const { registered } = await begin()
    const known = { ...(registered as NonNullable<typeof registered>), redirectUri: REDIRECT_URI }
    const again = await begin({ known })
    expect(again.registered).toBeNull()
    expect(again.pending.client).toEqual(known.client)
    expect(server.counts.registrations).toBe(1)
    for (const other of [
      { ...known, issuer: 'https://other.example' },
      { ...known, redirectUri: 'https://elsewhere.example/' },
      { ...known, client: { ...known.client, client_secret_expires_at: 1 } },
    ])
      expect((await begin({ known: other })).registered).not.toBeNull()
    expect(server.counts.registrations).toBe(4)
  })

  test('reports an unknown client, and registers again without `known`', async () => {
    const { url, pending } = await begin()
    const answer = await consent(url)
    server.faults.forgetClients = true
    const failure = await failureOf(authorizer.finish(pending, answer, signal))
    expect(failure).toMatchObject({ kind: 'refused', isClientUnknown: true })
    expect(await call((await connect()).tokens.access_token)).toBe(200)
    expect(server.counts.registrations).toBe(2)
  })

  test('prefers the metadata document to registration, and the catalogue to both', async () => {
    const clientDocuments = {
      [DOCUMENT_URL]: (await withDocument.clientMetadataDocument()) as { redirect_uris: string[] },
    }
    const fixed = { client_id: 'by hand', client_secret: 'secret of the client' }
    await start({ clientDocuments, clients: [{ ...fixed, redirect_uris: [REDIRECT_URI] }] })
    const { pending, registered } = await begin({}, withDocument)
    expect(registered).toBeNull()
    expect(pending.client.client_id).toBe(DOCUMENT_URL)
    expect(await call((await connect({}, withDocument)).tokens.access_token)).toBe(200)
    const grant = await connect({ fixed }, withDocument)
    expect(grant.client).toEqual(fixed)
    expect(await call(grant.tokens.access_token)).toBe(200)
    expect(server.counts.registrations).toBe(0)
  })

  test('publishes a metadata document without a secret', async () => {
    expect(await withDocument.clientMetadataDocument()).toEqual({
      client_id: DOCUMENT_URL,
      client_name: 'Parley',
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'web',
    })
  })

  test.each(['none', 'client_secret_basic', 'client_secret_post'] as const)(
    'with authentication %s can connect, refresh and revoke',
    async (authMethod) => {
      await start({ authMethod })
      const grant = await authorizer.refresh(await connect(), signal)
      await authorizer.revoke(grant, signal)
      expect(server.counts).toMatchObject({ exchanges: 1, refreshes: 1, revocations: 2 })
    },
  )

  test('without registration names the remedy for administrators', async () => {
    await start({ registration: false })
    const failure = await failureOf(begin())
    expect(failure.kind).toBe('no_registration')
    expect(failure.message).toContain('does not support client registration')
    expect(failure.message).toContain(REDIRECT_URI)
  })

  test("includes the provider's reason for a refused registration", async () => {
    const elsewhere = new McpAuthorizer(net, { redirectUri: 'x:y', clientMetadataUrl: null, clientName: '' })
    server.faults.refuseRegistration = 'invalid_redirect_uri'
    const failure = await failureOf(begin({}, elsewhere))
    expect(failure.kind).toBe('no_registration')
    expect(failure.message).toContain('(invalid_redirect_uri)')
  })
})

describe('authorization metadata', () => {
  test.each([{ isOpenid: true }, { issuerPath: '/tenant' }, { issuerPath: '/tenant', isOpenid: true }])(
    'is found for %j',
    async (options) => {
      await start(options)
      expect((await connect()).issuer).toBe(server.issuer)
    },
  )

  test('of the resource is found at its well-known URL without a challenge', async () => {
    server.faults.challenge = null
    expect((await connect()).resource).toBe(server.url)
  })

  test('is found in a challenge among others, and a known challenge is not requested again', async () => {
    const challenge = `Basic realm="x", Bearer scope="tools:use more", resource_metadata="${new URL('/.well-known/oauth-protected-resource/mcp', server.url)}"`
    server.faults.challenge = challenge
    expect((await connect()).tokens.scope).toBe('tools:use more offline_access')
    const { unauthorized } = server.counts
    expect((await begin({ challenge })).pending.requestedScope).toBe('tools:use more offline_access')
    expect(server.counts.unauthorized).toBe(unauthorized)
  })

  test("falls back to the resource's own origin (2025-03-26)", async () => {
    Object.assign(server.faults, { challenge: null, changeResource: () => null, anyResource: true })
    const failure = await failureOf(begin())
    expect(failure.kind).toBe('no_registration')
    expect(server.paths.slice(-2)).toEqual(['/.well-known/openid-configuration', '/register'])
    const { origin } = new URL(server.url)
    const { url, pending } = await begin({ fixed: { client_id: 'by hand' } })
    expect(url).toMatch(`${origin}/authorize?`)
    expect(pending).toMatchObject({ tokenEndpoint: `${origin}/token`, resource: null, expectedIss: null })
  })

  test('is not needed if the catalogue names endpoints and client', async () => {
    const fixed = {
      client_id: 'by hand',
      scopes: 'one two',
      authorization_url: `${server.issuer}/authorize?tenant=1`,
      token_url: `${server.issuer}/token`,
    }
    await start({ clients: [{ client_id: 'by hand', redirect_uris: [REDIRECT_URI] }] })
    Object.assign(server.faults, {
      challenge: null,
      changeResource: () => null,
      anyResource: true,
      changeMetadata: () => ({}),
    })
    fixed.authorization_url = `${server.issuer}/authorize?tenant=1`
    fixed.token_url = `${server.issuer}/token`
    const grant = await connect({ fixed })
    expect(server.asked.find(({ endpoint }) => endpoint === 'authorize')?.parameters).toMatchObject({
      tenant: '1',
      scope: 'one two',
    })
    expect(await call(grant.tokens.access_token)).toBe(200)
    expect(
      server.paths.filter((path) => path.includes('openid') || path.includes('authorization-server')),
    ).toEqual([])
    await authorizer.revoke(grant, signal)
    expect(server.counts.revocations).toBe(0)
  })
})

describe('a token', () => {
  test('is rotated on refresh, and reusing the old refresh token revokes all', async () => {
    const first = await connect()
    const second = await authorizer.refresh(first, signal)
    expect(second.tokens.refresh_token).not.toBe(first.tokens.refresh_token)
    expect(second.tokens.scope).toBe(first.tokens.scope)
    expect(await call(second.tokens.access_token)).toBe(200)
    expect(await failureOf(authorizer.refresh(first, signal))).toMatchObject({ kind: 'refused' })
    expect(await call(second.tokens.access_token)).toBe(401)
    expect(server.counts).toMatchObject({ refreshes: 1, reuses: 1 })
  })

  test('keeps its refresh token if the response has none, and requests no scope', async () => {
    await start({ rotating: false })
    const first = await connect()
    const second = await authorizer.refresh(first, signal)
    expect(second.tokens.refresh_token).toBe(first.tokens.refresh_token)
    expect(server.asked.at(-1)?.parameters).not.toHaveProperty('scope')
    await authorizer.refresh(second, signal)
    expect(server.counts.refreshes).toBe(2)
  })

  test('cannot be refreshed without a refresh token', async () => {
    await start({ refreshTokens: false })
    const grant = await connect()
    expect(await failureOf(authorizer.refresh(grant, signal))).toMatchObject({ kind: 'refused' })
  })

  test('without expires_in or scope does not expire and has the requested scope', async () => {
    server.faults.noExpiresIn = true
    server.faults.changeTokens = ({ scope: _scope, ...tokens }) => ({
      ...tokens,
      id_token: null,
      token_type: 'bearer',
    })
    expect((await connect()).tokens).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      token_type: 'Bearer',
      scope: 'tools:use offline_access',
    })
  })

  test.each([
    [0, undefined],
    [-5, undefined],
    ['3600', 3_600],
    [0.5e300, 315_360_000],
  ])('with expires_in %j is accepted', async (expires_in, expected) => {
    server.faults.changeTokens = (tokens) => ({ ...tokens, expires_in })
    expect((await connect()).tokens.expires_in).toBe(expected)
  })

  test.each([
    [{ tokenStatus: 500 }, 'unreachable'],
    [{ tokenStatus: 429 }, 'unreachable'],
    [{ tokenStatus: 404 }, 'unreachable'],
    [{ refuseRefresh: true }, 'refused'],
    [{ forgetClients: true }, 'refused'],
  ])('that fails to refresh because of %j is %s', async (faults, kind) => {
    const grant = await connect()
    Object.assign(server.faults, faults)
    expect(await failureOf(authorizer.refresh(grant, signal))).toMatchObject({ kind })
  })

  test('is revoked together with its refresh token', async () => {
    const grant = await connect()
    await authorizer.revoke(grant, signal)
    expect(await call(grant.tokens.access_token)).toBe(401)
    expect(server.counts.revocations).toBe(2)
  })
})

test("a user who declines sees the provider's message", async () => {
  const { url, pending } = await begin()
  const failure = await failureOf(authorizer.finish(pending, await consent(url, 'no'), signal))
  expect(failure).toMatchObject({ kind: 'refused' })
  expect(failure.message).toMatch(/refused the authorization: access_denied: The person said no\.$/)
})

test('a scope is added to a grant once', async () => {
  const grant = await connect()
  const wider = widenScope(grant, 'tools:write')
  expect(wider).toBe('tools:use offline_access tools:write')
  const second = await connect({ scope: wider as string })
  expect(second.tokens.scope).toBe('tools:use offline_access tools:write')
  expect(widenScope(second, 'tools:write tools:use')).toBeNull()
  expect(
    widenScope({ ...second, tokens: { ...second.tokens, scope: 'tools:use' } }, 'tools:write'),
  ).toBeNull()
  expect(widenScope(second, undefined)).toBeNull()
})

test('an abort cancels a refresh', async () => {
  const aborting = new AbortController()
  const reason = new Error('no longer needed')
  const grant = await connect()
  server.faults.tokenDelayMs = 5_000
  const refreshing = authorizer.refresh(grant, aborting.signal)
  setTimeout(() => aborting.abort(reason), 100)
  await expect(refreshing).rejects.toBe(reason)
})
