import { describe, expect, test, vi } from 'vitest'
import {
  authorizationFailureOf,
  setAuthorizationStage,
} from '../../../tests/support/mcp/authorization-stage.ts'

/** Tests that malicious or manipulated authorization metadata is rejected. */

const stage = setAuthorizationStage()

describe('mismatched metadata', () => {
  test.each([
    'https://evil.example/mcp',
    'ORIGIN/mcp/other',
    'ORIGIN/mc',
    'ORIGIN/mcp#part',
    'ORIGIN//mcp',
    'http://user:secret@HOST/mcp',
    `ORIGIN/mcp?${'x'.repeat(3_000)}`,
    'not an address',
  ])('is refused for the resource %s', async (resource) => {
    const said = resource
      .replace('ORIGIN', new URL(stage.server.url).origin)
      .replace('HOST', new URL(stage.server.url).host)
    stage.server.faults.changeResource = (metadata) => ({ ...metadata, resource: said })
    expect(await authorizationFailureOf(stage.begin())).toMatchObject({ kind: 'invalid' })
    expect(stage.server.counts.registrations).toBe(0)
  })

  test.each([
    { issuer: 'https://evil.example' },
    { issuer: 'ISSUER//' },
    { issuer: 'ISSUER/?tenant=1' },
    { issuer: 'ISSUER/tenant' },
    { issuer: undefined },
    { response_types_supported: ['token'] },
    { code_challenge_methods_supported: ['plain'] },
    { code_challenge_methods_supported: undefined },
    { scopes_supported: 'all' },
  ])('is refused for an authorization server with %j', async (change) => {
    stage.server.faults.changeMetadata = (metadata) => ({
      ...metadata,
      ...change,
      ...(change.issuer && { issuer: change.issuer.replace('ISSUER', stage.server.issuer) }),
    })
    expect(await authorizationFailureOf(stage.begin())).toMatchObject({ kind: 'invalid' })
    expect(stage.server.counts.registrations).toBe(0)
  })

  test("without PKCE is accepted for an administrator's client, which still uses PKCE", async () => {
    const fixed = { client_id: 'by hand' }
    stage.server.faults.changeMetadata = (metadata) => ({
      ...metadata,
      code_challenge_methods_supported: undefined,
    })
    expect((await stage.begin({ fixed })).url).toContain('code_challenge_method=S256')
    stage.server.faults.noS256 = true
    stage.server.faults.changeMetadata = (metadata) => metadata
    await authorizationFailureOf(stage.begin({ fixed }))
  })

  test('that cannot be read is not replaced by defaults', async () => {
    stage.server.faults.changeMetadata = () => 'nothing'
    expect(await authorizationFailureOf(stage.begin())).toMatchObject({ kind: 'invalid' })
    expect(stage.server.asked).toEqual([])
  })

  test.each([
    ['too long', `{"x":"${'x'.repeat(1_100_000)}"}`, 'larger than 1 MB'],
    ['too deep', `{"resource":${'['.repeat(400_000)}${']'.repeat(400_000)}}`, 'resource is not valid'],
  ])('that is %s is refused', async (_name, text, sentence) => {
    stage.server.faults.resourceText = text
    expect((await authorizationFailureOf(stage.begin())).message).toContain(sentence)
  })

  test('is limited to 100 valid scopes', async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `scope${index}`)
    stage.server.faults.changeResource = (metadata) => ({
      ...metadata,
      scopes_supported: ['a"b', 'a\\b', 'ü', ...many],
    })
    const { pending } = await stage.begin()
    expect(pending.requestedScope?.split(' ')).toEqual([...many.slice(0, 100)])
  })

  test.each([
    { client_id: '' },
    { client_id: 'x'.repeat(5_000) },
    { client_id: undefined },
    { client_secret: 'x'.repeat(5_000), token_endpoint_auth_method: 'none' },
    { client_secret: 'x', token_endpoint_auth_method: 'private_key_jwt' },
  ])('of an unusable client is refused', async (change) => {
    stage.server.faults.changeClient = (client) => ({ ...client, ...change })
    expect(await authorizationFailureOf(stage.begin())).toMatchObject({ kind: 'invalid' })
  })
})

describe('an authorization response', () => {
  test.each(['https://evil.example', null])('with issuer %s is refused', async (iss) => {
    const { url, pending } = await stage.begin()
    stage.server.faults.iss = iss
    const back = new URL(await stage.server.consent(url))
    const answer = Object.fromEntries(back.searchParams) as { code: string }
    const failure = await authorizationFailureOf(stage.authorizer.finish(pending, answer, stage.signal), [
      answer.code,
    ])
    expect(failure).toMatchObject({ kind: 'invalid' })
    expect(failure.message).not.toContain('evil')
    const said = { error: 'access_denied', error_description: 'pay at evil.example', ...(iss && { iss }) }
    expect(
      (await authorizationFailureOf(stage.authorizer.finish(pending, said, stage.signal))).message,
    ).not.toContain('pay')
    expect(stage.server.asked.map(({ endpoint }) => endpoint)).not.toContain('token')
  })

  test('is reported as a single line of limited length', async () => {
    const { pending } = await stage.begin()
    const error_description = `no\r\nSet-Cookie: x\u0000\u202e ${'long '.repeat(1_000)}`
    const said = { error: 'access_denied', error_description, iss: stage.server.issuer }
    const { message } = await authorizationFailureOf(stage.authorizer.finish(pending, said, stage.signal))
    expect(message).toContain('access_denied: no Set-Cookie: x long')
    expect(message.length).toBeLessThan(400)
  })

  test.each(['', 'x'.repeat(5_000)])('with an invalid code is refused', async (code) => {
    const { pending } = await stage.begin()
    await authorizationFailureOf(
      stage.authorizer.finish(pending, { code, iss: stage.server.issuer }, stage.signal),
    )
    expect(stage.server.asked.map(({ endpoint }) => endpoint)).not.toContain('token')
  })
})

describe('a token response', () => {
  test.each([
    { access_token: undefined },
    { access_token: '' },
    { access_token: 'two words' },
    { access_token: 'a\r\nx-header: b' },
    { access_token: 'x'.repeat(20_000) },
    { refresh_token: 'x'.repeat(20_000) },
    { token_type: 'mac' },
    { token_type: 'DPoP' },
    { token_type: 'Bearer, DPoP' },
    { expires_in: 'soon' },
  ])('that is unusable is refused', async (change) => {
    const good = await stage.connect()
    stage.server.faults.changeTokens = (tokens) => ({ ...tokens, ...change })
    const secrets = Object.values(change).filter((said) => (said?.length ?? 0) > 8) as string[]
    expect(await authorizationFailureOf(stage.connect(), secrets)).toMatchObject({ kind: 'invalid' })
    expect(await authorizationFailureOf(stage.authorizer.refresh(good, stage.signal), secrets)).toMatchObject(
      { kind: 'invalid' },
    )
  })

  test('that echoes secrets is reported without them', async () => {
    const { url, pending } = await stage.begin()
    const back = new URL(await stage.server.consent(url))
    const code = String(back.searchParams.get('code'))
    stage.server.faults.echo = true
    const finishing = stage.authorizer.finish(pending, { code, iss: stage.server.issuer }, stage.signal)
    const failure = await authorizationFailureOf(finishing, [code, pending.codeVerifier])
    expect(failure.message).toContain('invalid_grant: code=… code_verifier=…')
    stage.server.faults.echo = false
    const grant = await stage.connect()
    stage.server.faults.echo = true
    const secrets = [grant.tokens.access_token, String(grant.tokens.refresh_token)]
    expect(
      await authorizationFailureOf(stage.authorizer.refresh(grant, stage.signal), secrets),
    ).toMatchObject({ kind: 'refused' })
    stage.server.faults.echoPlain = true
    expect(
      await authorizationFailureOf(stage.authorizer.refresh(grant, stage.signal), secrets),
    ).toMatchObject({ kind: 'unreachable' })
  })
})

test('a server that does not answer times out', async () => {
  const grant = await stage.connect()
  stage.server.faults.tokenDelayMs = 60_000
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const refreshing = authorizationFailureOf(stage.authorizer.refresh(grant, stage.signal))
    while (stage.server.counts.refreshes === 0) await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await refreshing).toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('15 seconds'),
    })
  } finally {
    vi.useRealTimers()
  }
})
