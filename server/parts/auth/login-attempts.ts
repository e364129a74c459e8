import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { fail } from '#errors'

/** Attempts are forgotten after so many quiet seconds. */
const WINDOW_SECONDS = 15 * 60
/** The first few wrong passwords are anybody's; then each one waits longer than the one before. */
const FREE_ATTEMPTS = 5
const FIRST_DELAY_MS = 250
const DELAY_MAX_MS = 8_000
/** Beyond this many the answer is 429 until the window has passed. */
const ATTEMPTS_MAX = 50

/**
 * Counts an attempt to sign in and slows it down by how many came before. It is counted when it arrives and not when
 * it fails, so that many at once are slowed like many in a row. Known and unknown emails are treated alike.
 */
export async function slowDownAttempt(sql: Sql, email: string): Promise<void> {
  const [row] = await sql<{ attempts: number }[]>`
    insert into login_attempts as a (email_hash, attempts, last_at) values (${hashOf(email)}, 1, now())
    on conflict (email_hash) do update set last_at = now(), attempts =
      case when a.last_at < now() - ${WINDOW_SECONDS} * interval '1 second' then 1 else a.attempts + 1 end
    returning attempts`
  const attempts = row?.attempts ?? 1
  if (attempts > ATTEMPTS_MAX)
    throw fail('auth.too_many_attempts', { seconds: WINDOW_SECONDS }, { retryAfter: WINDOW_SECONDS })
  if (attempts > FREE_ATTEMPTS)
    await sleep(Math.min(DELAY_MAX_MS, FIRST_DELAY_MS * 2 ** (attempts - FREE_ATTEMPTS - 1)))
}

/** A right password: nothing is held against this email any more. */
export async function forgetAttempts(sql: Sql, email: string): Promise<void> {
  await sql`delete from login_attempts where email_hash = ${hashOf(email)}`
}

const hashOf = (email: string): string => createHash('sha256').update(email).digest('base64url')
