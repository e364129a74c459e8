import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { VERIFIER } from '#tests/support/mcp/authorizing.ts'
import { allow, REDIRECT_URI } from '#tests/support/mcp/connecting.ts'
import type { Attempt } from './attempts.ts'
import { type Attempts, ensure, ensureOneSuccess, type OAuthStage } from './oauth-stage.ts'

const CODE_SECONDS = 60
const GRANT_TYPES = [
  ...[
    'password',
    'client_credentials',
    'implicit',
    'urn:ietf:params:oauth:grant-type:device_code',
    'none',
    '',
  ],
  ...['urn:ietf:params:oauth:grant-type:jwt-bearer', 'urn:ietf:params:oauth:grant-type:token-exchange'],
]

/** Attacks on authorization codes and on their exchange for tokens. */
export function codes({ deps, elsewhere, owner, site }: OAuthStage): Attempts {
  const { withCode, redeem } = deps
  /** Redeems a code with one wrong parameter. */
  const wrong = (what: string, more: Record<string, string>, expected = [400]): Attempt => ({
    what: `a code with ${what}`,
    expected,
    async send() {
      const { clientId, code } = await withCode()
      return (await redeem(clientId, code, more)).status
    },
  })
  /** Redeems a code twice. */
  const replay = async () => {
    const { clientId, code } = await withCode()
    const tokens = await redeem(clientId, code)
    ensure(tokens.status === 200, tokens)
    const again = await redeem(clientId, code)
    return { clientId, tokens, again }
  }
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return {
    genuine: [
      {
        what: 'a genuine code, and its token',
        expected: [200],
        async send() {
          const { clientId, code } = await withCode()
          const { status, access_token } = await redeem(clientId, code)
          return status === 200 ? deps.ping(access_token) : status
        },
      },
      { what: 'a genuine client with a secret', expected: [200], send: () => withSecret((secret) => secret) },
    ],
    attacks: [
      wrong('another verifier', { code_verifier: verifier }),
      wrong('no verifier', { code_verifier: '' }),
      wrong('the challenge as the verifier', {
        code_verifier: createHash('sha256').update(VERIFIER).digest('base64url'),
      }),
      wrong('a short verifier', { code_verifier: 'x' }),
      wrong('a longer verifier', { code_verifier: `${VERIFIER}x` }),
      wrong('another redirect URI', { redirect_uri: 'http://127.0.0.1:8912/other' }),
      wrong('another port on loopback', { redirect_uri: 'http://127.0.0.1:9999/callback' }),
      {
        what: 'a code without a redirect URI, of a client with several',
        expected: [400],
        async send() {
          const clientId = await deps.registered({
            redirect_uris: [REDIRECT_URI, 'https://app.example/callback'],
          })
          const back = await allow(deps.authorizeUrl(clientId), owner)
          return (await redeem(clientId, back.searchParams.get('code') ?? '', { redirect_uri: '' })).status
        },
      },
      wrong('another resource', { resource: 'https://elsewhere.example/mcp' }),
      wrong('our API as the resource', { resource: site.url }),
      wrong("another installation's resource", { resource: `${elsewhere.url}/mcp` }),
      wrong('additional characters', { code: 'x' }),
      ...GRANT_TYPES.map((type) =>
        wrong(`the grant type "${type}"`, {
          grant_type: type,
          username: owner.email,
          password: owner.password,
        }),
      ),
      {
        what: 'a code with the verifier of another request of the same client',
        expected: [400],
        async send() {
          const { clientId, code } = await withCode()
          await allow(deps.authorizeUrl(clientId, { code_challenge: challenge }), owner)
          return (await redeem(clientId, code, { code_verifier: verifier })).status
        },
      },
      {
        what: 'a code by another client',
        expected: [400],
        async send() {
          const { code } = await withCode()
          return (await redeem(await deps.registered(), code)).status
        },
      },
      {
        what: 'a code without a client',
        expected: [400, 401],
        send: async () => (await redeem('', (await withCode()).code)).status,
      },
      { what: 'a code without the secret', expected: [401], send: () => withSecret(() => undefined) },
      {
        what: 'a code with another secret',
        expected: [401],
        send: () => withSecret((secret) => `${secret}x`),
      },
      { what: 'a replayed code', expected: [400], send: async () => (await replay()).again.status },
      {
        what: 'the token of a replayed code',
        expected: [401],
        send: async () => deps.ping((await replay()).tokens.access_token),
      },
      {
        what: 'the refresh token of a replayed code',
        expected: [400],
        async send() {
          const { clientId, tokens } = await replay()
          return (await deps.refresh(clientId, tokens.refresh_token)).status
        },
      },
      {
        what: 'a code in five concurrent requests',
        expected: [200],
        async send() {
          const { clientId, code } = await withCode()
          return ensureOneSuccess(() => redeem(clientId, code))
        },
      },
      {
        what: 'a code as a token',
        expected: [401],
        send: async () => deps.ping((await withCode()).code),
      },
      {
        what: 'a code as a refresh token',
        expected: [400],
        async send() {
          const { clientId, code } = await withCode()
          return (await deps.refresh(clientId, code)).status
        },
      },
      {
        what: 'a code in a URL',
        expected: [404, 405],
        async send() {
          const { clientId, code } = await withCode()
          const query = new URLSearchParams({
            ...{ grant_type: 'authorization_code', client_id: clientId, code, code_verifier: VERIFIER },
            redirect_uri: REDIRECT_URI,
          })
          return (await site.call('GET', `/mcp/oauth/token?${query}`)).status
        },
      },
      {
        what: 'tokens returned to foreign pages',
        expected: [200],
        async send() {
          const { clientId, code } = await withCode()
          const response = await fetch(`${site.url}/mcp/oauth/token`, {
            method: 'POST',
            headers: { origin: 'https://evil.example' },
            body: new URLSearchParams({
              ...{ grant_type: 'authorization_code', client_id: clientId, code, code_verifier: VERIFIER },
              redirect_uri: REDIRECT_URI,
            }),
          })
          const allowed = response.headers.get('access-control-allow-origin')
          ensure(allowed === null, allowed)
          ensure(response.headers.get('cache-control') === 'no-store', 'can be cached')
          return 200
        },
      },
    ],
  }

  /** Redeems a code as a confidential client. `change` returns the client secret to send. */
  async function withSecret(change: (secret: string) => string | undefined): Promise<number> {
    const body = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'client_secret_post' }
    const { client_id, client_secret } = (await deps.register(body)).body
    const back = await allow(deps.authorizeUrl(client_id), owner)
    const secret = change(client_secret)
    const more: Record<string, string> = secret === undefined ? {} : { client_secret: secret }
    return (await redeem(client_id, back.searchParams.get('code') ?? '', more)).status
  }
}

/** Returns an attempt that waits until a code has expired and then redeems it. */
export async function expiredCode({ deps }: OAuthStage): Promise<Attempt> {
  const { clientId, code } = await deps.withCode()
  const endsAt = Date.now() + (CODE_SECONDS + 1) * 1_000
  return {
    what: 'an expired code',
    expected: [400],
    async send() {
      await sleep(endsAt - Date.now())
      return (await deps.redeem(clientId, code)).status
    },
  }
}
