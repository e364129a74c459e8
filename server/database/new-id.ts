import { randomUUID } from 'node:crypto'

const COUNTER_MAX = 0xfff
let lastMs = 0
let counter = 0

/**
 * A new id: UUIDv7 (RFC 9562), the time in milliseconds, a counter within it, then 62 random bits. Ids that one
 * process makes are in the order of their making, also within a millisecond, so lists can be ordered by them.
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

/** No id is higher: the beginning of a list that goes from the newest on. */
export const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** No id is lower: the beginning of a list that goes from the oldest on. */
export const LOWEST_ID = '00000000-0000-0000-0000-000000000000'

/** An id as people write it, in letters of either case (RFC 9562); PostgreSQL knows no `urn:uuid:`. */
export const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
