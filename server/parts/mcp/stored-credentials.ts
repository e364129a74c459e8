import type { StoredGrant } from '#platform/mcp/authorization.ts'
import type { Secrets } from '#platform/secrets/secrets.ts'

/**
 * What an instance shows to its server, as it is stored, encrypted and bound to the instance. `origin`: where it was
 * given for; it goes nowhere else, wherever the catalogue moves the server. Servers without any have none.
 */
export type Credentials =
  | { type: 'api_key'; origin: string; key: string }
  | { type: 'oauth'; origin: string; grant: StoredGrant }
  | { type: 'composio'; url: string; isOwn: boolean }

/** What stands in the row. */
export interface StoredCredentials {
  sealed: string | null
  /** Seconds until the access token ends; null: never, or nobody knows. */
  expiresIn: number | null
}

export function sealCredentials(
  secrets: Secrets,
  instanceId: string,
  credentials: Credentials | null,
): StoredCredentials {
  if (credentials === null) return { sealed: null, expiresIn: null }
  const expiresIn = credentials.type === 'oauth' ? credentials.grant.tokens.expires_in : null
  return {
    sealed: secrets.encrypt(JSON.stringify(credentials), instanceId),
    expiresIn: expiresIn ?? null,
  }
}

/** The same for what is to be ended or replaced; null also where it was stored under another SECRET. */
export function openReplaced(
  secrets: Secrets,
  instanceId: string,
  sealed: string | null,
): Credentials | null {
  try {
    return openCredentials(secrets, instanceId, sealed)
  } catch {
    return null
  }
}

/** Throws where they were stored under another SECRET. */
export const openCredentials = (
  secrets: Secrets,
  instanceId: string,
  sealed: string | null,
): Credentials | null =>
  sealed === null ? null : (JSON.parse(secrets.decrypt(sealed, instanceId)) as Credentials)
