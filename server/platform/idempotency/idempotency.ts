import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { inTransaction } from '#database/ambient.ts'
import type { Database } from '#database/connect.ts'
import { sqlStateOf } from '#database/sql-state.ts'
import type { Secrets } from '#platform/secrets/secrets.ts'
import { repeat } from '#platform/sweeps/repeat.ts'
import { keepValue } from './kept-answer.ts'
import { OutsideRequests } from './outside-requests.ts'
import { type Answered, ATTEMPTS_MAX, type Effects, inProgress, replay } from './replay.ts'
import { createSerialQueue } from './serial-queue.ts'
import { type KeyedRequest, nameOf, StoredRequests } from './stored-requests.ts'

/** Requests that come with an Idempotency-Key: each is done once, however often it is sent (contract, 5). */
export interface Idempotency {
  /**
   * Has a request worked on, or answers what was answered before. Throws request.idempotency_reused,
   * request.in_progress, request.interrupted, request.answer_not_kept, and what the work throws.
   */
  once(request: KeyedRequest, effects: Effects, work: () => Promise<unknown>): Promise<Answered>
  /** An HMAC of what a request says, under each secret: a body may hold a password. */
  hashes(text: string): [current: string, ...previous: string[]]
  /** Begins to forget what is older than a day. Answers how to end that. */
  startSweep(): () => void
  /** Waits a moment for the answers that are being stored. */
  close(): Promise<void>
}

const SWEEP_MS = 600_000
/** How long answers may take to be stored when the process stops. */
const CLOSE_MS = 2_000
const DEADLOCK = '40P01'
/** A statement that has waited too long. */
const CANCELED = '57014'
const LATE = Symbol('somebody else was faster')

interface Dependencies {
  database: Database
  secrets: Secrets
  instance: { id: string }
  log: Logger
}

export function createIdempotency({ database, secrets, instance, log }: Dependencies): Idempotency {
  const { sql } = database
  const stored = new StoredRequests(database, secrets, instance.id)
  const queue = createSerialQueue()

  /** The row, the effects and the answer in one transaction. */
  async function inDatabase(request: KeyedRequest, work: () => Promise<unknown>): Promise<Answered> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const known = await stored.find(request)
      const before = known && replay(stored, request, known, known.is_alive)
      if (before) return before
      try {
        const value = await inTransaction(sql, async () => {
          if (!(await stored.insert(request, { isReserved: false }).catch(whenWaitedLong))) return LATE
          const value = await work()
          await stored.store(request, keepValue(value), { isReserved: false })
          return value
        })
        if (value !== LATE) return { value, isReplayed: false }
      } catch (error) {
        if (sqlStateOf(error) !== DEADLOCK || attempt === ATTEMPTS_MAX) throw error
      }
    }
    throw inProgress()
  }

  /** The request as it was stored under the previous secret; null: it was not. */
  async function asBefore(
    request: KeyedRequest,
    former: NonNullable<KeyedRequest['former']>,
  ): Promise<KeyedRequest | null> {
    const before = { ...request, ...former }
    const known = await stored.find(before)
    return known?.request_hash === former.hash ? before : null
  }

  const outside = new OutsideRequests({ sql, stored, instance, log, queue })
  return {
    async once(request, effects, work) {
      const known = request.former && (await asBefore(request, request.former))
      const kept = known ?? request
      return effects === 'database'
        ? queue(nameOf(kept), () => inDatabase(kept, work))
        : outside.answer(kept, effects, work)
    },
    hashes: (text) => secrets.signatures(text, 'idempotent requests'),
    startSweep: () =>
      repeat(SWEEP_MS, () => stored.sweep(), { log, message: 'the sweep of repeated requests failed' }),
    close: () => Promise.race([outside.allStored(), sleep(CLOSE_MS, undefined, { ref: false })]),
  }
}

/** The same request is under way in another process, and takes longer than a statement may wait. */
function whenWaitedLong(error: unknown): never {
  throw sqlStateOf(error) === CANCELED ? inProgress() : error
}
