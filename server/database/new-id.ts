import { randomUUID } from 'node:crypto'

const COUNTER_MAX = 0xfff
let lastMs = 0
let counter = 0

/**
 * Returns a new UUIDv7 (RFC 9562): the time in milliseconds, a counter within the millisecond, and 62 random bits.
 * Ids of one process are strictly ascending, so lists can be ordered by id.
 */
export function newId(): string {
  const now = Date.now()
  if (now > lastMs) {
    lastMs = now
    counter = 0
  } else if (counter < COUNTER_MAX) counter += 1
  else {
    lastMs += 1
    counter = 0
  }
  const time = lastMs.toString(16).padStart(12, '0')
  const sequence = counter.toString(16).padStart(3, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence}${randomUUID().slice(18)}`
}

/** The highest possible id. A list in descending order starts from this id. */
export const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The lowest possible id. A list in ascending order starts from this id. */
export const LOWEST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * Matches the text form of an id in upper or lower case (RFC 9562). Doesn't match `urn:uuid:` ids, which PostgreSQL
 * rejects.
 */
export const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
