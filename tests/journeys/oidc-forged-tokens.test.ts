import { randomUUID } from 'node:crypto'
import { generateKeyPair, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type ForgingOpenid, type IdTokenRequest, startForgingOpenid } from '#tests/support/forging-openid.ts'
import { startAddressedServer } from '#tests/support/mcp/connecting.ts'
import { OpenidBrowser } from '#tests/support/openid-browser.ts'
import { OPENID_CLIENT } from '#tests/support/openid-provider.ts'
import type { TestServer } from '#tests/support/server.ts'

/**
 * An ID token is accepted only with the provider's signature and for this client (OpenID Connect Core 1.0,
 * 3.1.3.7).
 */

let server: TestServer
let provider: ForgingOpenid
beforeAll(async () => {
  provider = await startForgingOpenid()
  server = await startAddressedServer({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: OPENID_CLIENT.id,
    OIDC_CLIENT_SECRET: OPENID_CLIENT.secret,
  })
})
afterEach(() => {
  provider.faults = {}
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

async function signIn(): Promise<URLSearchParams> {
  provider.account = { sub: randomUUID(), email: `${randomUUID()}@example.com`, email_verified: true }
  return (await new OpenidBrowser().open(`${server.url}/api/auth/oidc/start`)).searchParams
}

const withOtherKey = async ({ claims }: IdTokenRequest): Promise<string> => {
  const { privateKey } = await generateKeyPair('RS256')
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'genuine' }).sign(privateKey)
}
const withOtherClaims = async ({ claims, sign }: IdTokenRequest): Promise<string> => {
  const [header, , signature] = (await sign(claims)).split('.')
  const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'somebody else' })).toString('base64url')
  return `${header}.${changed}.${signature}`
}

test.each([
  ['with another key', withOtherKey],
  ['with changed claims', withOtherClaims],
  ['issued to another client', ({ claims, sign }) => sign({ ...claims, azp: 'another' })],
  ['for another client', ({ claims, sign }) => sign({ ...claims, aud: 'another' })],
  ['from another sign-in', ({ claims, sign }) => sign({ ...claims, nonce: 'another' })],
  ['without a subject', ({ claims, sign }) => sign({ ...claims, sub: '' })],
] satisfies [string, (request: IdTokenRequest) => Promise<string>][])(
  'an ID token %s is refused',
  async (_name, forge) => {
    provider.faults = { forge }
    const returned = await signIn()
    expect([returned.get('code'), returned.has('error')]).toEqual([null, true])
  },
)

test('a genuine ID token that was issued to this client (azp) signs in', async () => {
  provider.faults = { forge: ({ claims, sign }) => sign({ ...claims, azp: OPENID_CLIENT.id }) }
  expect((await signIn()).get('code')).not.toBeNull()
})
