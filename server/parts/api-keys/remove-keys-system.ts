import type { Database } from '#database/connect.ts'
import { type SystemStatements, systemSql } from '#database/system-sql.ts'
import type { Fragment } from '#database/tenant-sql.ts'
import type { Client } from '#platform/access/scope.ts'
import { eventOf, recordEvent } from '#platform/audit/audit.ts'
import { API_KEY } from './tables.ts'

/* Deletes API keys across organizations, when an app's grant ends or the password of an account changes. */

/** Deletes the API keys of apps that are no longer connected. The audit log names each key's owner as the actor. */
export async function removeClientKeys(
  database: Database,
  keyIds: string[],
  client: Pick<Client, 'address' | 'requestId'>,
): Promise<void> {
  if (keyIds.length === 0) return
  await systemSql(database).begin(async (tx) => {
    await lockOrganizationsOf(tx, tx`id = any(${keyIds}::uuid[])`)
    const rows = await tx<KeyRow[]>`
      delete from api_keys where id = any(${keyIds}::uuid[]) returning *`
    for (const row of rows) await recordRemoval(tx, row, { apiKeyId: row.id, client })
  })
}

/**
 * Deletes all API keys of a user, which also ends the grants of MCP clients. The audit log names the user as the
 * actor.
 */
export async function removeKeysOf(tx: SystemStatements, userId: string, client: Client): Promise<void> {
  await lockOrganizationsOf(tx, tx`user_id = ${userId}`)
  const rows = await tx<KeyRow[]>`delete from api_keys where user_id = ${userId} returning *`
  for (const row of rows) await recordRemoval(tx, row, { apiKeyId: null, client })
}

/**
 * Locks the organizations of API keys, whose stored responses are deleted with the keys. A statement that stores a response
 * locks the organization before the key (docs/lock-order.md).
 */
const lockOrganizationsOf = (tx: SystemStatements, areKeys: Fragment) => tx`
  select from organizations where id = any(array(select organization_id from api_keys where ${areKeys}))
  order by id for no key update`

interface KeyRow {
  id: string
  organization_id: string
  user_id: string
}

async function recordRemoval(
  tx: SystemStatements,
  row: KeyRow,
  { apiKeyId, client }: { apiKeyId: string | null; client: Pick<Client, 'address' | 'requestId'> },
): Promise<void> {
  const event = eventOf(API_KEY, { ...row }, null)
  const actor = { userId: row.user_id, apiKeyId, client: { ...client, userAgent: null, language: null } }
  if (event) await recordEvent(tx, row.organization_id, actor, event)
}
