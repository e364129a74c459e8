import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Person } from '#tests/support/client.ts'
import { askForToken, create, makeAgent, newVisitorKey, talk } from '#tests/support/deployments.ts'
import { openLiveSocket, RefusedUpgrade } from '#tests/support/live-socket.ts'
import { type Attempt, tryAll } from './attempts.ts'
import { claimsIn, forgeAccessTokens, signerOf } from './forged-jwts.ts'
import { forgeLinks } from './forged-links.ts'
import type { Row } from './row.ts'
import type { Stage } from './stage.ts'

/** Two browser tabs may use the same refresh token within 10 s. A later reuse ends the session. */
const REFRESH_GRACE_MS = 10_500

/** Tries forged, changed, revoked and used credentials: tokens, keys, sessions and signed links. */
export const forgedTokens: Row = {
  name: 'forged-tokens',
  cases: { full: Number.POSITIVE_INFINITY, commit: 100 },
  async run(stage, { cases }) {
    const person = await stage.signUp()
    const replay = await prepareReplay(stage)
    const attempts = [
      ...(await accessTokens(stage, person)),
      ...(await endedSessions(stage)),
      ...(await keys(stage, person)),
      ...(await visitors(stage)),
      ...(await forgeLinks(stage, person)),
      ...(cases > 100 ? replay : []),
    ]
    return tryAll(attempts)
  },
  brokenBy: [
    {
      without: 'the algorithm and claims of access tokens',
      edits: [
        {
          file: 'server/platform/access/access-tokens.ts',
          text: "      typ: TOKEN_TYPE,\n      requiredClaims: ['sub', 'sid', 'exp', 'iat', 'jti'],",
          replacement: '',
        },
      ],
    },
    {
      without: 'live sessions',
      edits: [
        {
          file: 'server/platform/access/credentials.ts',
          text: 'sql`s.revoked_at is null and s.expires_at > now()`',
          replacement: 'sql`s.expires_at > now()`',
        },
      ],
    },
    {
      without: 'the revocation after a replayed refresh token',
      edits: [
        {
          file: 'server/parts/auth/sessions-system.ts',
          text: 'if (found.stale) return { stolenFrom: found.session_id }',
          replacement: '',
        },
      ],
    },
    {
      without: 'signatures of file URLs',
      edits: [
        {
          file: 'server/platform/storage/serve-files.ts',
          text: "if (!signed.isSigned(file, expires, signature)) throw fail('file.link_invalid')",
          replacement: '',
        },
      ],
    },
  ],
}

const me = (stage: Stage, headers: Record<string, string>) => async (): Promise<number> =>
  (await stage.call('GET', '/api/users/me', { headers })).status

async function accessTokens(stage: Stage, person: Person): Promise<Attempt[]> {
  const genuine = await signerOf(stage)(claimsIn(person.token))
  const forged = await forgeAccessTokens(stage, person)
  return [
    { what: 'a genuine access token', expected: [200], send: me(stage, bearer(genuine)) },
    ...Object.entries(forged).flatMap(([what, token]): Attempt[] => [
      { what: `access token: ${what}`, expected: [401], send: me(stage, bearer(token)) },
      { what: `WebSocket at the upgrade: ${what}`, expected: [401], send: () => upgrade(stage, token) },
      { what: `WebSocket by message: ${what}`, expected: [4401], send: () => firstMessage(stage, token) },
    ]),
    {
      what: 'a genuine access token in the query',
      expected: [401],
      send: async () => (await stage.call('GET', `/api/users/me?access_token=${genuine}`)).status,
    },
  ]
}

/** Attacks with a session that was signed out, and with a session that a password change has ended. */
async function endedSessions(stage: Stage): Promise<Attempt[]> {
  const [signedOut, changed] = [await stage.signUp(), await stage.signUp()]
  const { body: second } = await stage.call('POST', '/api/auth/login', {
    body: { email: changed.email, password: changed.password },
  })
  await stage.call('POST', '/api/auth/logout', { body: { refresh_token: signedOut.refreshToken } })
  await stage.call('PUT', '/api/users/me', {
    token: second.access_token,
    body: { password: 'another horse battery', current_password: changed.password },
  })
  return [
    { what: 'a session that was signed out', expected: [401], send: me(stage, bearer(signedOut.token)) },
    {
      what: 'the refresh token of a session that was signed out',
      expected: [401],
      send: () => refresh(stage, signedOut.refreshToken),
    },
    { what: 'a session older than the password', expected: [401], send: me(stage, bearer(changed.token)) },
    { what: 'a made-up refresh token', expected: [401], send: () => refresh(stage, randomKey('rt')) },
  ]
}

/**
 * Uses a refresh token once now, and returns the replay as an attempt. The replay must run after the grace period, so
 * it is among the last attempts.
 */
async function prepareReplay(stage: Stage): Promise<Attempt[]> {
  const { refreshToken } = await stage.signUp()
  const { body } = await stage.call('POST', '/api/auth/refresh', { body: { refresh_token: refreshToken } })
  const usableFrom = Date.now() + REFRESH_GRACE_MS
  return [
    {
      what: 'a used refresh token',
      expected: [401],
      async send() {
        await sleep(usableFrom - Date.now())
        return refresh(stage, refreshToken)
      },
    },
    {
      what: 'the session of a replayed refresh token',
      expected: [401],
      send: me(stage, bearer(body.access_token)),
    },
    {
      what: 'the successor of a replayed refresh token',
      expected: [401],
      send: () => refresh(stage, body.refresh_token),
    },
  ]
}

async function keys(stage: Stage, person: Person): Promise<Attempt[]> {
  const make = (more: object = {}) =>
    stage.call('POST', `/api/api_keys/create?org_id=${person.organizationId}`, {
      token: person.token,
      body: { name: 'key', permissions: ['organization:read'], ...more },
    })
  const [{ body: living }, { body: revoked }] = [await make(), await make()]
  await stage.call('DELETE', `/api/api_keys/delete?api_key_id=${revoked.id}`, { token: person.token })
  const wrong: Record<string, string> = {
    'a made-up API key': randomKey('sk'),
    'a revoked API key': revoked.key,
    'a truncated API key': living.key.slice(0, -1),
    'an API key in different case': living.key.toUpperCase(),
    'an API key with a wildcard': `${living.key.slice(0, -1)}%`,
    'the prefix of a deployment key': living.key.replace('sk_', 'dk_'),
  }
  return [
    { what: 'a genuine API key', expected: [200], send: me(stage, { 'x-api-key': living.key }) },
    ...Object.entries(wrong).flatMap(([what, key]): Attempt[] => [
      { what, expected: [401], send: me(stage, { 'x-api-key': key }) },
      { what: `${what} as Bearer`, expected: [401], send: me(stage, bearer(key)) },
    ]),
    {
      what: 'an API key that creates an API key',
      expected: [403],
      send: async () =>
        (
          await stage.call('POST', `/api/api_keys/create?org_id=${person.organizationId}`, {
            headers: { 'x-api-key': living.key },
            body: { name: 'more', permissions: ['organization:admin'] },
          })
        ).status,
    },
  ]
}

/** Attacks with a deployment's key and with a visitor's token. Both give access to their deployment only. */
async function visitors(stage: Stage): Promise<Attempt[]> {
  const owner = await stage.signUp()
  const agentId = await makeAgent(stage, owner, stage.provider)
  const { body: api } = await create(stage, owner, agentId)
  const { body: widget } = await create(stage, owner, agentId, { deployment_type: 'widget', name: 'W' })
  const { body: other } = await create(stage, owner, agentId, { deployment_type: 'widget', name: 'V' })
  const { body: pass } = await askForToken(stage, widget.id)
  const { body: another } = await askForToken(stage, widget.id, newVisitorKey())
  const { body: elsewhere } = await askForToken(stage, other.id)
  const { sessionId } = await talk(stage, pass.token, { content: 'Hi' })
  const retired = api.api_key
  const { body: renewed } = await stage.call(
    'POST',
    `/api/agent_deploy/regenerate_key?deployment_id=${api.id}`,
    { token: owner.token },
  )
  const session = (token: string) => async () =>
    (await stage.call('GET', `/api/agent_deploy/get_session?session_id=${sessionId}`, { token })).status
  const chat = (token: string) => async () => (await talk(stage, token, { content: 'Hi' })).status
  const sign = signerOf(stage)
  const claims = claimsIn(pass.token.slice('vt_'.length))
  const asAccess = await sign({ ...claims, sid: crypto.randomUUID(), jti: 'x' }, { typ: 'visitor+jwt' })
  return [
    { what: 'a genuine visitor', expected: [200], send: session(pass.token) },
    { what: 'a genuine deployment key', expected: [200], send: chat(renewed.api_key) },
    { what: 'a replaced deployment key', expected: [401], send: chat(retired) },
    { what: 'a made-up deployment key', expected: [401], send: chat(randomKey('dk')) },
    { what: "another visitor's session", expected: [404], send: session(another.token) },
    { what: "a session of another deployment's visitor", expected: [404], send: session(elsewhere.token) },
    { what: "a session by another deployment's key", expected: [404], send: session(renewed.api_key) },
    {
      what: 'a visitor token for another deployment',
      expected: [401, 404],
      send: session(`vt_${await sign({ ...claims, deployment: other.id }, { typ: 'visitor+jwt' })}`),
    },
    {
      what: 'a visitor token with the type of an access token',
      expected: [401],
      send: session(`vt_${await sign(claims)}`),
    },
    { what: 'a visitor token as access token', expected: [401], send: me(stage, bearer(asAccess)) },
    { what: 'a visitor as a person', expected: [401, 403], send: me(stage, bearer(pass.token)) },
    { what: 'a deployment as a person', expected: [403], send: me(stage, bearer(renewed.api_key)) },
    { what: 'a person as a visitor', expected: [403], send: session(owner.token) },
    {
      what: 'a deployment key at the live events',
      expected: [401, 403],
      send: () => upgrade(stage, renewed.api_key),
    },
  ]
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
const randomKey = (prefix: string): string => `${prefix}_${randomBytes(32).toString('base64url')}`

const refresh = async (stage: Stage, refreshToken: string): Promise<number> =>
  (await stage.call('POST', '/api/auth/refresh', { body: { refresh_token: refreshToken } })).status

async function upgrade(stage: Stage, token: string): Promise<number> {
  try {
    const live = await openLiveSocket(stage.url, { token })
    live.socket.terminate()
    return 101
  } catch (error) {
    if (error instanceof RefusedUpgrade) return error.status
    throw error
  }
}

/**
 * Sends a token as the first message of a socket. Returns the server's close code, or 0 if the server accepts the
 * token.
 */
async function firstMessage(stage: Stage, token: string): Promise<number> {
  const live = await openLiveSocket(stage.url)
  live.send({ type: 'auth', token })
  const code = await live.until('ready').then(
    () => 0,
    () => live.closed.then((end) => end.code),
  )
  live.socket.terminate()
  return code
}
