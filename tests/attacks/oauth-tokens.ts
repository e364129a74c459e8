import type { Person } from '#tests/support/client.ts'
import { colleaguesOf } from '#tests/support/colleagues.ts'
import { authorizingAt } from '#tests/support/mcp/authorizing.ts'
import { allow } from '#tests/support/mcp/connecting.ts'
import type { Attempt } from './attempts.ts'
import { type Attempts, ensure, ensureOneSuccess, type OAuthStage } from './oauth-stage.ts'

/** Attacks with tokens at wrong endpoints, and with expired or revoked tokens. */
export function tokens(stage: OAuthStage): Attempts {
  const { deps, elsewhere, owner, site } = stage
  const connect = async () => {
    const { clientId, code } = await deps.withCode()
    const { access_token, refresh_token } = await deps.redeem(clientId, code)
    return { clientId, access: String(access_token), refresh: String(refresh_token) }
  }
  /** Uses an access token at an endpoint that it isn't valid for. */
  const use = (
    method: string,
    path: string,
    header: (token: string) => Record<string, string> = bearer,
  ): Attempt => ({
    what: `a token of /mcp at ${method} ${path.split('?')[0]}, as ${Object.keys(header(''))}`,
    expected: [401, 403, 404],
    send: async () => (await site.call(method, path, { headers: header((await connect()).access) })).status,
  })
  const renew = (what: string, more: Record<string, string>, expected = [400]): Attempt => ({
    what: `a refresh token with ${what}`,
    expected,
    async send() {
      const { clientId, refresh } = await connect()
      return (await deps.refresh(clientId, refresh, more)).status
    },
  })
  /** Uses a refresh token twice. */
  const replay = async () => {
    const { clientId, refresh } = await connect()
    const next = await deps.refresh(clientId, refresh)
    ensure(next.status === 200, next)
    const again = await deps.refresh(clientId, refresh)
    return { clientId, next, again }
  }
  const org = `org_id=${owner.organizationId}`
  return {
    genuine: [
      {
        what: 'a genuine refresh token, and the new token',
        expected: [200],
        async send() {
          const { clientId, refresh } = await connect()
          const { status, access_token } = await deps.refresh(clientId, refresh)
          return status === 200 ? deps.ping(access_token) : status
        },
      },
    ],
    attacks: [
      ...[
        '/api/users/me',
        '/api/org/list',
        `/api/billing/balance?${org}`,
        `/api/mcp/list_instances?${org}`,
        '/openai/v1/models',
      ].map((path) => use('GET', path)),
      use('GET', '/api/users/me', (token) => ({ 'x-api-key': token })),
      use('GET', '/api/users/me', (token) => ({ cookie: `parley_refresh=${token}` })),
      use('POST', `/api/api_keys/create?${org}`),
      {
        what: 'a refresh token as a token',
        expected: [401],
        send: async () => deps.ping((await connect()).refresh),
      },
      {
        what: 'a token as a refresh token',
        expected: [400],
        async send() {
          const { clientId, access } = await connect()
          return (await deps.refresh(clientId, access)).status
        },
      },
      {
        what: 'a token in the query',
        expected: [401],
        send: async () =>
          (await site.call('POST', `/mcp?access_token=${(await connect()).access}`, { body: {} })).status,
      },
      {
        what: 'a token at another installation',
        expected: [401],
        send: async () => deps.ping((await connect()).access, elsewhere),
      },
      {
        what: 'a token of another installation',
        expected: [401],
        async send() {
          const other = authorizingAt(elsewhere, await elsewhere.signUp())
          const { clientId, code } = await other.withCode()
          const { access_token } = await other.redeem(clientId, code)
          ensure((await other.ping(access_token)) === 200, 'refused at home')
          return deps.ping(access_token)
        },
      },
      {
        what: 'a session of another installation at /mcp',
        expected: [401],
        send: async () => deps.ping((await elsewhere.signUp()).token),
      },
      renew('a wider scope', { scope: 'mcp admin' }),
      renew('another scope', { scope: 'openid' }),
      renew('another resource', { resource: 'https://elsewhere.example/mcp' }),
      renew('our API as the resource', { resource: site.url }),
      renew('another grant type', { grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange' }),
      renew('additional characters', { refresh_token: 'x' }),
      {
        what: 'a refresh token by another client',
        expected: [400],
        send: async () => (await deps.refresh(await deps.registered(), (await connect()).refresh)).status,
      },
      {
        what: 'a replayed refresh token',
        expected: [400],
        send: async () => (await replay()).again.status,
      },
      {
        what: 'the token after a replayed refresh token',
        expected: [401],
        send: async () => deps.ping((await replay()).next.access_token),
      },
      {
        what: 'the refresh token after a replayed one',
        expected: [400],
        async send() {
          const { clientId, next } = await replay()
          return (await deps.refresh(clientId, next.refresh_token)).status
        },
      },
      {
        what: 'a refresh token in five concurrent requests',
        expected: [200],
        async send() {
          const { clientId, refresh } = await connect()
          return ensureOneSuccess(() => deps.refresh(clientId, refresh))
        },
      },
      {
        what: 'a revocation by another client, after which the token still works',
        expected: [200],
        async send() {
          const { access, refresh } = await connect()
          const client_id = await deps.registered()
          for (const token of [access, refresh]) await deps.post('revoke', { client_id, token })
          return deps.ping(access)
        },
      },
      {
        what: 'a revoked token',
        expected: [401],
        async send() {
          const { clientId, access } = await connect()
          await deps.post('revoke', { client_id: clientId, token: access })
          return deps.ping(access)
        },
      },
      {
        what: 'the token of a revoked refresh token',
        expected: [401],
        async send() {
          const { clientId, access, refresh } = await connect()
          await deps.post('revoke', { client_id: clientId, token: refresh })
          return deps.ping(access)
        },
      },
      ...endings(stage),
    ],
  }
}

/** Attacks with tokens whose user or API key has lost access. */
function endings({ deps, owner, site }: OAuthStage): Attempt[] {
  const colleagues = colleaguesOf(site, owner)
  const org = `org_id=${owner.organizationId}`
  const asOwner = { token: owner.token }
  const connect = async (person: Person) => {
    const name = crypto.randomUUID()
    const clientId = await deps.registered({ client_name: name })
    const back = await allow(deps.authorizeUrl(clientId), person)
    const { access_token, refresh_token } = await deps.redeem(clientId, back.searchParams.get('code') ?? '')
    ensure((await deps.ping(access_token)) === 200, 'refused before the end')
    return { name, clientId, access: String(access_token), refresh: String(refresh_token) }
  }
  const ended = (
    what: string,
    end: (person: Person, name: string) => Promise<{ status: number; text: string }>,
  ): Attempt => ({
    what: `a token of ${what}`,
    expected: [401, 403, 404],
    async send() {
      const person = await colleagues.join('member')
      const { name, access } = await connect(person)
      const { status, text } = await end(person, name)
      ensure(status === 200, text)
      return deps.ping(access)
    },
  })
  const deleteKey = async (_person: Person, name: string) => {
    const found = (await deps.keysOf()).find((key) => key.name === `MCP: ${name}`)
    return site.call('DELETE', `/api/api_keys/delete?api_key_id=${found?.id}`, asOwner)
  }
  return [
    ended('a removed member', ({ userId }) =>
      site.call('DELETE', `/api/users/remove?${org}&user_id=${userId}`, asOwner),
    ),
    ended('a suspended member', ({ userId }) =>
      site.call('PUT', `/api/users/update_status?${org}&user_id=${userId}`, {
        ...asOwner,
        body: { status: 'suspended' },
      }),
    ),
    ended('a member who has left', ({ token }) => site.call('POST', `/api/org/leave?${org}`, { token })),
    ended('a deleted key', deleteKey),
    {
      what: 'the refresh token of a deleted key',
      expected: [400],
      async send() {
        const person = await colleagues.join('member')
        const { name, clientId, refresh } = await connect(person)
        ensure((await deleteKey(person, name)).status === 200, 'the key was not deleted')
        return (await deps.refresh(clientId, refresh)).status
      },
    },
    {
      what: 'a code of a removed member',
      expected: [401, 403, 404],
      async send() {
        const person = await colleagues.join('member')
        const clientId = await deps.registered()
        const back = await allow(deps.authorizeUrl(clientId), person)
        await site.call('DELETE', `/api/users/remove?${org}&user_id=${person.userId}`, asOwner)
        const { status, access_token } = await deps.redeem(clientId, back.searchParams.get('code') ?? '')
        return status === 200 ? deps.ping(access_token) : 403
      },
    },
  ]
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
