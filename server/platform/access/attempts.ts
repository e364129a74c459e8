import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { fail } from '#errors'
import { networkOf } from '#platform/net/addresses.ts'

/** Who tries to sign in, and from where. The email is normalized. */
export interface Attempt {
  email: string
  address: string
}

/** Attempts are forgotten after so many quiet seconds. */
const WINDOW_SECONDS = 15 * 60
/** The first few wrong passwords are anybody's; then each one waits longer than the one before. */
const FREE_ATTEMPTS = 5
const FIRST_DELAY_MS = 250
/** An account is only ever slowed, whoever attacks it, so that its owner can sign in from elsewhere. */
const ACCOUNT_DELAY_MAX_MS = 2_000
const NETWORK_DELAY_MAX_MS = 8_000
/** More attempts from one network get 429 until the window has passed: for one account, and for all accounts. */
const ATTEMPTS_MAX = 20
const ATTEMPTS_OF_NETWORK_MAX = 200

/**
 * Counts an attempt and slows it down by how many came before. It is counted when it arrives and not when it fails, so
 * that many at once are slowed like many in a row. Known and unknown emails are treated alike. Throws
 * auth.too_many_attempts.
 */
export async function slowDownAttempt(sql: Sql, attempt: Attempt): Promise<void> {
  const { account, network, both } = keysOf(attempt)
  const rows = await sql<{ key_hash: string; attempts: number }[]>`
    insert into login_attempts as a (key_hash, attempts, last_at)
    select key, 1, now() from unnest(${[account, network, both].sort()}::text[]) as key
    on conflict (key_hash) do update set last_at = now(), attempts =
      case when a.last_at < now() - ${WINDOW_SECONDS} * interval '1 second' then 1 else a.attempts + 1 end
    returning key_hash, attempts`
  const count = (key: string): number => rows.find((row) => row.key_hash === key)?.attempts ?? 1
  if (count(both) > ATTEMPTS_MAX || count(network) > ATTEMPTS_OF_NETWORK_MAX)
    throw fail('auth.too_many_attempts', { seconds: WINDOW_SECONDS }, { retryAfter: WINDOW_SECONDS })
  await sleep(
    Math.max(delayOf(count(account), ACCOUNT_DELAY_MAX_MS), delayOf(count(both), NETWORK_DELAY_MAX_MS)),
  )
}

/** A right password: nothing is held against this account any more. What its network tried elsewhere still is. */
export async function forgetAttempts(sql: Sql, attempt: Attempt): Promise<void> {
  const { account, both } = keysOf(attempt)
  await sql`delete from login_attempts where key_hash = any(${[account, both]}::text[])`
}

const delayOf = (attempts: number, max: number): number =>
  attempts <= FREE_ATTEMPTS ? 0 : Math.min(max, FIRST_DELAY_MS * 2 ** (attempts - FREE_ATTEMPTS - 1))

const keysOf = ({ email, address }: Attempt) => {
  const network = networkOf(address)
  return {
    account: hashOf('account', email),
    network: hashOf('network', network),
    both: hashOf('both', `${network} ${email}`),
  }
}

const hashOf = (kind: string, value: string): string =>
  createHash('sha256').update(`${kind} ${value}`).digest('base64url')
