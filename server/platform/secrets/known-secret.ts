import { join } from 'node:path'
import type { SystemStatements } from '#database/connect.ts'
import { type SecretPair, secretIdOf } from './secrets.ts'

/**
 * Checks that the database's values are encrypted with one of these secrets. The first process that opens a database
 * stores the id of its current secret; the row's key decides between processes that start at the same time. Returns
 * false for another secret.
 */
export async function claimSecret(sql: SystemStatements, pair: SecretPair): Promise<boolean> {
  await sql`
    insert into installation_secret (secret_id) values (${secretIdOf(pair.current)}) on conflict do nothing`
  return knowsSecret(sql, pair)
}

/** Returns whether the database's values are encrypted with one of these secrets. False if no process has claimed it. */
export async function knowsSecret(sql: SystemStatements, pair: SecretPair): Promise<boolean> {
  const [row] = await sql<{ secret_id: string }[]>`select secret_id from installation_secret`
  return [pair.current, pair.previous].some(
    (secret) => secret !== null && secretIdOf(secret) === row?.secret_id,
  )
}

/** Stores that the database's values are encrypted with this secret. Call this once all of them have been re-encrypted. */
export async function replaceSecret(sql: SystemStatements, current: string): Promise<void> {
  await sql`
    insert into installation_secret (secret_id) values (${secretIdOf(current)})
    on conflict (is_only) do update set secret_id = excluded.secret_id, created_at = now()`
}

/** Explains to the operator what to do about a database that is encrypted with another secret. */
export const explainOtherSecret = ({
  secret,
  dataDir,
}: {
  secret: string | null
  dataDir: string
}): string =>
  secret === null
    ? `The database in ${dataDir} is encrypted with another secret than the one in ${join(dataDir, 'secret')}. Put the earlier file back. If it is lost, run parley rotate-secret --lost (docs/secrets.md).`
    : 'The database is encrypted with another SECRET. Set SECRET to the one of its other processes, or set SECRET_PREVIOUS to it and run parley rotate-secret. If it is lost, run parley rotate-secret --lost (docs/secrets.md).'
