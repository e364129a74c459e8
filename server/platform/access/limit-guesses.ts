import { createHash } from 'node:crypto'
import type { ISql } from 'postgres'
import { fail } from '#errors'

/**
 * A code has 10^6 possible values, three of which are valid at a time. At 10 guesses per hour, a day of guessing
 * succeeds with a probability of 1 in 1,400.
 * @limit wrong codes of a second factor per user and hour
 */
const GUESSES_MAX = 10
const WINDOW_SECONDS = 3_600

/**
 * Counts a guess at a user's code, across all addresses, challenges and processes. Returns 'first refused' for the
 * first guess beyond the limit. Throws auth.too_many_codes for later guesses.
 */
export async function countGuess(sql: ISql, userId: string): Promise<'allowed' | 'first refused'> {
  const [row] = await sql<{ attempts: number; seconds: number }[]>`
    insert into login_attempts as a (key_hash, attempts, last_at) values (${keyOf(userId)}, 1, now())
    on conflict (key_hash) do update set
      attempts = case when a.last_at < now() - ${WINDOW_SECONDS} * interval '1 second' then 1 else a.attempts + 1 end,
      last_at = case when a.last_at < now() - ${WINDOW_SECONDS} * interval '1 second' then now() else a.last_at end
    returning attempts, ceil(${WINDOW_SECONDS} - extract(epoch from now() - last_at))::int as seconds`
  const { attempts = 1, seconds = WINDOW_SECONDS } = row ?? {}
  if (attempts <= GUESSES_MAX) return 'allowed'
  if (attempts === GUESSES_MAX + 1) return 'first refused'
  throw tooManyCodes(seconds)
}

export const tooManyCodes = (seconds = WINDOW_SECONDS) =>
  fail('auth.too_many_codes', { minutes: Math.max(1, Math.ceil(seconds / 60)) }, { retryAfter: seconds })

/** Resets a user's count after a correct code. */
export async function forgetGuesses(sql: ISql, userId: string): Promise<void> {
  await sql`delete from login_attempts where key_hash = ${keyOf(userId)}`
}

const keyOf = (userId: string): string =>
  createHash('sha256').update(`second factor ${userId}`).digest('base64url')
