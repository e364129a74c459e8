import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { OPENID_CLIENT } from './openid-provider.ts'

/** The claims of the genuine ID token, and a function that signs other claims. */
export interface IdTokenRequest {
  claims: JWTPayload
  sign(claims: JWTPayload, header?: Record<string, unknown>): Promise<string>
}

/** Faults of the OpenID provider. Tests can change them while the provider runs. */
export interface OpenidFaults {
  /** Returns the ID token to send in the token response. Null omits the ID token. */
  forge?: ((request: IdTokenRequest) => Promise<string | null>) | undefined
  /** Changes the URL that the browser is redirected to. */
  changeReturn?: ((back: URL) => void) | undefined
  /** Changes the response of the userinfo endpoint. */
  changeUserinfo?: ((claims: JWTPayload) => JWTPayload) | undefined
}

export interface ForgingOpenid {
  issuer: string
  /** The claims of the user who is signed in at the provider. */
  account: JWTPayload
  faults: OpenidFaults
  close(): Promise<void>
}

const KEY_ID = 'genuine'
const TOKEN_SECONDS = 300

/**
 * Starts an OpenID provider on loopback that accepts any code verifier, so that all checks are up to its client.
 * Without faults, its ID tokens are genuine.
 */
export async function startForgingOpenid(): Promise<ForgingOpenid> {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: KEY_ID, alg: 'RS256', use: 'sig' }] }
  const codes = new Map<string, JWTPayload>()
  const accounts = new Map<string, JWTPayload>()
  const http = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', provider.issuer)
    const form = new URLSearchParams(await read(request))
    const json = (body: unknown): void =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return json(metadata(provider.issuer))
      case '/jwks':
        return json(jwks)
      case '/authorize':
        return void response.writeHead(302, { location: authorize(url.searchParams).href }).end()
      case '/token':
        return json(await grant(form.get('code') ?? ''))
      case '/userinfo': {
        const claims = accounts.get(request.headers.authorization?.replace('Bearer ', '') ?? '') ?? {}
        return json(provider.faults.changeUserinfo?.(claims) ?? claims)
      }
    }
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const provider: ForgingOpenid = {
    issuer: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    account: { sub: 'nobody' },
    faults: {},
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      }),
  }
  return provider

  function authorize(asked: URLSearchParams): URL {
    const code = random()
    codes.set(code, { ...provider.account, ...(asked.has('nonce') && { nonce: asked.get('nonce') }) })
    const back = new URL(asked.get('redirect_uri') ?? '')
    const answer = { code, state: asked.get('state') ?? '', iss: provider.issuer }
    for (const [name, value] of Object.entries(answer)) back.searchParams.set(name, value)
    provider.faults.changeReturn?.(back)
    return back
  }

  async function grant(code: string): Promise<object> {
    const account = codes.get(code)
    if (account === undefined) return { error: 'invalid_grant' }
    codes.delete(code)
    const now = Math.floor(Date.now() / 1_000)
    const claims = {
      iss: provider.issuer,
      aud: OPENID_CLIENT.id,
      iat: now,
      exp: now + TOKEN_SECONDS,
      ...account,
    }
    const sign: IdTokenRequest['sign'] = (payload, header = {}) =>
      new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: KEY_ID, ...header }).sign(privateKey)
    const accessToken = random()
    accounts.set(accessToken, account)
    const { forge } = provider.faults
    const idToken = forge ? await forge({ claims, sign }) : await sign(claims)
    return {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: TOKEN_SECONDS,
      ...(idToken !== null && { id_token: idToken }),
    }
  }
}

const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  userinfo_endpoint: `${issuer}/userinfo`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
})

async function read(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const random = (): string => randomBytes(24).toString('base64url')
