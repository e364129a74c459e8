import type { ISql, TransactionSql } from 'postgres'
import type { Client } from '#platform/access/scope.ts'
import { grantStartingCredits } from '#platform/ledger/starting-credits.ts'
import type { Services } from '#platform/services.ts'
import { removeKeysOf } from '../api-keys/index.ts'
import { endAllSessions } from './sessions.ts'

/**
 * Takes the act of a registered account's owner as the proof of its address: an accepted magic link, a password reset
 * or the first sign-in of an OpenID identity. Sets the password that was given with it, or none, grants
 * the starting credits that waited for the proof, and ends older access.
 */
export async function proveAddress(
  services: Pick<Services, 'config' | 'secrets'>,
  tx: TransactionSql,
  client: Client,
  userId: string,
  passwordHash: string | null,
): Promise<void> {
  await tx`
    update users set password_hash = ${passwordHash}, updated_at = now(),
      email_verified_at = coalesce(email_verified_at, now())
    where id = ${userId}`
  // The account is locked before budgets, which go with the API keys.
  await grantStartingCredits(tx, services, userId)
  await endOlderAccess(tx, client, userId)
}

/**
 * Ends every session, sign-in under way, API key, grant of an MCP client and mailed link that the account has so far.
 * Second factors stay: only confirmed addresses have any.
 */
export async function endOlderAccess(tx: ISql, client: Client, userId: string): Promise<void> {
  await endAllSessions(tx, userId)
  await removeKeysOf(tx, userId, client)
  await tx`delete from one_time_tokens where user_id = ${userId} and purpose <> 'leave_organization'`
  await tx`delete from auth_challenges where user_id = ${userId}`
}
