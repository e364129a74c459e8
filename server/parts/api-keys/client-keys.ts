import type { ISql, Sql } from 'postgres'
import { API_KEY_PREFIX } from '#platform/access/credentials.ts'
import type { Permission } from '#platform/access/permissions.ts'
import { checkHeld } from '#platform/access/role-rules.ts'
import type { Client, Scope } from '#platform/access/scope.ts'
import { eventOf, recordEvent } from '#platform/audit/audit.ts'
import { newToken } from '#platform/secrets/secrets.ts'
import { insertKey } from './manage-api-keys.ts'

/**
 * Makes a key for an app that somebody has connected: it stands among the organization's keys, and its text is known to
 * nobody. Throws role.permission_not_held, org.not_found.
 */
export async function createClientKey(
  scope: Scope<Permission>,
  { name, permissions }: { name: string; permissions: string[] },
): Promise<{ id: string }> {
  checkHeld(scope, permissions)
  return insertKey(scope, { name, permissions, expiresAt: null, key: newToken(API_KEY_PREFIX) })
}

/** Deletes keys of apps that are connected no more, whatever has ended them. Each is in the audit as its owner's doing. */
export async function removeClientKeys(
  sql: Sql,
  keyIds: string[],
  client: Omit<Client, 'userAgent'>,
): Promise<void> {
  if (keyIds.length === 0) return
  await sql.begin(async (tx) => {
    const rows = await tx<KeyRow[]>`
      delete from api_keys where id = any(${keyIds}::uuid[]) returning *`
    for (const row of rows) await recordRemoval(tx, row, { apiKeyId: row.id, client })
  })
}

/** Deletes all API keys of a user, and with them the grants of MCP clients. The audit names the user as the actor. */
export async function removeKeysOf(tx: ISql, userId: string, client: Client): Promise<void> {
  const rows = await tx<KeyRow[]>`delete from api_keys where user_id = ${userId} returning *`
  for (const row of rows) await recordRemoval(tx, row, { apiKeyId: null, client })
}

interface KeyRow {
  id: string
  organization_id: string
  user_id: string
}

async function recordRemoval(
  tx: ISql,
  row: KeyRow,
  { apiKeyId, client }: { apiKeyId: string | null; client: Omit<Client, 'userAgent'> },
): Promise<void> {
  const event = eventOf('api_keys', { ...row }, null)
  const actor = { userId: row.user_id, apiKeyId, client: { ...client, userAgent: null } }
  if (event) await recordEvent(tx, row.organization_id, actor, event)
}
