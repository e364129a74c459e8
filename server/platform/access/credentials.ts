import type { ISql } from 'postgres'
import { fail } from '#errors'
import { hashToken } from '#platform/secrets/secrets.ts'
import type { AccessTokens, Visitor } from './access-tokens.ts'

/** A user's own credential: a session's access token, or an API key. */
export type PersonalCredential =
  | { kind: 'session'; userId: string; sessionId: string }
  | { kind: 'api key'; keyHash: string }

/** A deployment's key, or a token of one of its visitors. Gives access only to that deployment. */
export type DeploymentCredential =
  | { kind: 'deployment key'; keyHash: string }
  | ({ kind: 'visitor' } & Visitor)

export type Credential = PersonalCredential | DeploymentCredential

export const API_KEY_PREFIX = 'sk'
export const DEPLOYMENT_KEY_PREFIX = 'dk'
export const VISITOR_TOKEN_PREFIX = 'vt'
const KEY = /^(?<prefix>sk|dk)_[\w-]{43}$/
const BEGINS_AS_KEY = /^(sk|dk)_/

/**
 * Reads `Authorization: Bearer <token or key>`. Without that header, reads `X-API-Key`. Verifies a token's signature,
 * but not whether the session, key or deployment is still valid. Throws auth.missing, auth.invalid_token,
 * auth.invalid_key.
 */
export async function readCredential(
  tokens: AccessTokens,
  headers: { authorization?: string | undefined; 'x-api-key'?: string | string[] | undefined },
): Promise<Credential> {
  const { authorization, 'x-api-key': apiKey } = headers
  if (authorization === undefined && typeof apiKey === 'string') return keyCredential(apiKey)
  const [scheme, token] = (authorization ?? '').split(' ')
  if (scheme?.toLowerCase() !== 'bearer' || !token) throw fail('auth.missing')
  if (BEGINS_AS_KEY.test(token)) return keyCredential(token)
  if (token.startsWith(`${VISITOR_TOKEN_PREFIX}_`))
    return { kind: 'visitor', ...(await tokens.verifyVisitor(token.slice(VISITOR_TOKEN_PREFIX.length + 1))) }
  const { userId, sessionId } = await tokens.verify(token)
  return { kind: 'session', userId, sessionId }
}

function keyCredential(key: string): Credential {
  const prefix = KEY.exec(key)?.groups?.['prefix']
  if (prefix === undefined) throw fail('auth.invalid_key')
  return { kind: prefix === DEPLOYMENT_KEY_PREFIX ? 'deployment key' : 'api key', keyHash: hashToken(key) }
}

/** SQL condition: the session `s` is still valid. */
export const liveSession = (sql: ISql) => sql`s.revoked_at is null and s.expires_at > now()`

/** SQL condition: the session `s` satisfies the second factor requirement of the organization `o`. */
export const isStrongEnough = (sql: ISql) =>
  sql`(not o.require_second_factor or s.second_factor_at is not null)`

/** SQL condition: the API key `k` has not expired. Revoked keys are deleted. */
export const liveKey = (sql: ISql) => sql`(k.expires_at is null or k.expires_at > now())`
