import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { fail } from '#errors'
import { networkOf } from '#platform/net/addresses.ts'

/** A sign-in attempt, with a normalized email (mail/address.ts) and the client's IP address. */
export interface Attempt {
  email: string
  address: string
}

/** Time without an attempt after which the count of attempts restarts. */
const WINDOW_SECONDS = 15 * 60
/**
 * Number of attempts without a delay. The next attempt is delayed by FIRST_DELAY_MS. Each further attempt doubles the
 * delay.
 */
const FREE_ATTEMPTS = 5
const FIRST_DELAY_MS = 250
/** Maximum delay for an attacked account. Low, so that the owner of the account can still sign in. */
const ACCOUNT_DELAY_MAX_MS = 2_000
const NETWORK_DELAY_MAX_MS = 8_000
/**
 * Maximum number of attempts from one network within the window: on one account, and across all accounts. Further
 * attempts get 429.
 * @limit sign-in attempts on an account from one network in 15 minutes
 */
const ATTEMPTS_MAX = 20
/** @limit sign-in attempts from one network in 15 minutes */
const ATTEMPTS_OF_NETWORK_MAX = 200

/**
 * Counts a sign-in attempt and delays it. The delay grows with the number of earlier attempts. Attempts are counted
 * when they arrive, not when they fail, so concurrent attempts are delayed like consecutive ones. Known and unknown
 * emails are delayed alike. Throws auth.too_many_attempts.
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

/** Resets the counts of an account after a correct password. The network's count across all accounts is not reset. */
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
