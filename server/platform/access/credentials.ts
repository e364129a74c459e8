import type { ISql } from 'postgres'
import { fail } from '#errors'
import { hashToken } from '#platform/secrets/secrets.ts'
import type { AccessTokens } from './access-tokens.ts'

/** What a request shows to say who asks: a session's access token, or an API key. */
export type Credential =
  | { kind: 'session'; userId: string; sessionId: string }
  | { kind: 'api key'; keyHash: string }

/** How personal API keys begin. */
export const API_KEY_PREFIX = 'sk'
const API_KEY = /^sk_[\w-]{43}$/

/**
 * Reads `Authorization: Bearer <access token or API key>`, or `X-API-Key` where there is no Authorization. An access
 * token's signature is checked; whether session and key still live is not known yet. Throws auth.missing,
 * auth.invalid_token.
 */
export async function readCredential(
  tokens: AccessTokens,
  headers: { authorization?: string | undefined; 'x-api-key'?: string | string[] | undefined },
): Promise<Credential> {
  const { authorization, 'x-api-key': apiKey } = headers
  if (authorization === undefined && typeof apiKey === 'string') return keyCredential(apiKey)
  const [scheme, token] = (authorization ?? '').split(' ')
  if (scheme?.toLowerCase() !== 'bearer' || !token) throw fail('auth.missing')
  if (token.startsWith(`${API_KEY_PREFIX}_`)) return keyCredential(token)
  const { userId, sessionId } = await tokens.verify(token)
  return { kind: 'session', userId, sessionId }
}

function keyCredential(key: string): Credential {
  if (!API_KEY.test(key)) throw fail('auth.invalid_token')
  return { kind: 'api key', keyHash: hashToken(key) }
}

/** Whether a session `s` still lives. */
export const liveSession = (sql: ISql) => sql`s.revoked_at is null and s.expires_at > now()`

/** Whether an API key `k` still lives: one that is revoked is gone. */
export const liveKey = (sql: ISql) => sql`(k.expires_at is null or k.expires_at > now())`
