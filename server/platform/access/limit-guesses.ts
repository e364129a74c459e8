import { createHash } from 'node:crypto'
import type { ISql } from 'postgres'
import { fail } from '#errors'

/** Codes of a second factor have 10^6 values and three are good at a time: 240 guesses a day find one in 1,400. */
const GUESSES_MAX = 10
const WINDOW_SECONDS = 3_600

/**
 * Counts a guess at a user's code, over all addresses, challenges and processes, when it arrives. Answers whether it is
 * the first one beyond the limit. Throws auth.too_many_codes for every one after that.
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

/** A right code: earlier wrong ones no longer count. */
export async function forgetGuesses(sql: ISql, userId: string): Promise<void> {
  await sql`delete from login_attempts where key_hash = ${keyOf(userId)}`
}

const keyOf = (userId: string): string =>
  createHash('sha256').update(`second factor ${userId}`).digest('base64url')
