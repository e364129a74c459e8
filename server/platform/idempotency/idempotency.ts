import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { inTransaction } from '#database/ambient.ts'
import type { OpenDatabase } from '#database/connect.ts'
import { sqlStateOf } from '#database/sql-state.ts'
import { AppError, fail } from '#errors'
import type { Secrets } from '#platform/secrets/secrets.ts'
import { EventLog, startOfLog } from '#platform/streams/event-log.ts'
import { keepTrying, untilFirstFailure } from '#platform/sweeps/keep-trying.ts'
import { type EventStream, isEventStream } from '../http/define-route.ts'
import { PendingAnswer } from './pending-answer.ts'
import {
  ANSWER_BYTES_MAX,
  decodeAnswer,
  encodeStream,
  encodeValue,
  type KeyedRequest,
  nameOf,
  type StoredRequest,
  StoredRequests,
} from './stored-requests.ts'

/** Where the handler of a request with a key has side effects, as its route declares (http/define-route.ts). */
export type Effects = 'database' | 'outside' | 'outside once'

/**
 * Handles requests with an Idempotency-Key. Such a request takes effect once, however often it is sent
 * (docs/idempotency.md).
 */
export interface Idempotency {
  /**
   * Runs the work of a request. If the request is a repeat, returns the stored response instead. Throws
   * request.idempotency_reused, request.in_progress, request.interrupted, request.answer_not_kept,
   * request.too_many_keys, and the errors of `work`.
   */
  once(request: KeyedRequest, effects: Effects, work: () => Promise<unknown>): Promise<Answered>
  /**
   * Returns the HMAC of a text under each secret, the current secret first. With a plain hash, passwords in request
   * bodies could be guessed from a copy of the database.
   */
  hashes(text: string): [current: string, ...previous: string[]]
  /** Waits briefly for responses that are being stored. */
  close(): Promise<void>
}

interface Answered {
  /** The handler's return value, from this request or from the first one. */
  value: unknown
  isReplayed: boolean
}

/** Time for storing responses when the process stops. */
const CLOSE_MS = 2_000
const RETRY_SECONDS = 1
/** Maximum number of attempts if a row changes between two statements, or after a deadlock with another request. */
const ATTEMPTS_MAX = 5
/** Maximum number of attempts to store a response, so that a brief database outage does not lose the response. */
const STORE_ATTEMPTS = 4
const DEADLOCK = '40P01'
/** SQLSTATE of a statement that was canceled, for example after its timeout. */
const CANCELED = '57014'
const LATE = Symbol('a concurrent request changed the row')

interface Dependencies {
  database: OpenDatabase
  secrets: Secrets
  instance: { id: string }
  log: Logger
}

export function createIdempotency({ database, secrets, instance, log }: Dependencies): Idempotency {
  const { sql } = database
  const stored = new StoredRequests(database, secrets, instance.id)
  const queue = createSerialQueue()
  const outside = new OutsideRequests({ sql, stored, instance, log, queue })

  /** Writes the request's row, the handler's changes and the response in one transaction. */
  async function inDatabase(request: KeyedRequest, work: () => Promise<unknown>): Promise<Answered> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const known = await stored.find(request)
      const before = known && replay(stored, request, known, known.is_alive)
      if (before) return before
      try {
        const value = await inTransaction(sql, async () => {
          if (!(await stored.insert(request, { isReserved: false }).catch(whenWaitedLong))) return LATE
          const value = await work()
          await stored.store(request, encodeValue(value), { isReserved: false })
          return value
        })
        if (value !== LATE) return { value, isReplayed: false }
      } catch (error) {
        if (sqlStateOf(error) !== DEADLOCK || attempt === ATTEMPTS_MAX) throw error
      }
    }
    throw inProgress()
  }

  /**
   * Returns the request with the owner and hash of the previous secret. Null if the request is not stored under that
   * secret.
   */
  async function asBefore(
    request: KeyedRequest,
    former: NonNullable<KeyedRequest['former']>,
  ): Promise<KeyedRequest | null> {
    const before = { ...request, ...former }
    const known = await stored.find(before)
    return known?.request_hash === former.hash ? before : null
  }

  return {
    async once(request, effects, work) {
      const known = request.former && (await asBefore(request, request.former))
      const repeated = known ?? request
      return effects === 'database'
        ? queue(nameOf(repeated), () => inDatabase(repeated, work))
        : outside.answer(repeated, effects, work)
    },
    hashes: (text) => secrets.signatures(text, 'idempotent requests'),
    close: () => Promise.race([outside.allSettled(), sleep(CLOSE_MS, undefined, { ref: false })]),
  }
}

/**
 * Returns the stored response. Null if there is no response and no process is working on the request. Throws
 * request.idempotency_reused, request.in_progress, request.answer_not_kept.
 */
function replay(
  stored: StoredRequests,
  request: KeyedRequest,
  known: StoredRequest,
  isUnderWay: boolean,
): Answered | null {
  if (known.request_hash !== request.hash) throw fail('request.idempotency_reused')
  if (known.answer !== null)
    return { value: decodeAnswer(stored.open(request, known.answer)), isReplayed: true }
  if (known.is_answered) throw fail('request.answer_not_kept')
  if (isUnderWay) throw inProgress()
  return null
}

const inProgress = () => fail('request.in_progress', {}, { retryAfter: RETRY_SECONDS })

/**
 * Throws request.in_progress if another process has been working on the request for longer than a statement may wait.
 * Rethrows any other error.
 */
function whenWaitedLong(error: unknown): never {
  throw sqlStateOf(error) === CANCELED ? inProgress() : error
}

/**
 * Handles requests with side effects outside the database. A request is reserved for this process. Its response is
 * stored together with the handler's last database changes.
 */
class OutsideRequests {
  readonly #deps: OutsideDependencies
  /** The requests that are in progress in this process. */
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(deps: OutsideDependencies) {
    this.#deps = deps
  }

  /** Throws the errors of Idempotency.once. */
  async answer(request: KeyedRequest, effects: Effects, work: () => Promise<unknown>): Promise<Answered> {
    const answer = new PendingAnswer(this.#deps.sql)
    const before = await this.#deps.queue(nameOf(request), async () => {
      const found = await this.#reserve(request, effects)
      if (found === null) this.#underWay.set(nameOf(request), answer.settled)
      return found
    })
    if (before) return before
    try {
      const value = await answer.run(work)
      if (isEventStream(value)) return { value: this.#relay(request, answer, value), isReplayed: false }
      await this.#store(request, answer, encodeValue(value))
      this.#end(request, answer)
      return { value, isReplayed: false }
    } catch (error) {
      await this.#release(request, answer, isFinal(effects, error))
      throw error
    }
  }

  async allSettled(): Promise<void> {
    await Promise.all(this.#underWay.values())
  }

  /** Reserves the request for this process and returns null, or returns the stored response. */
  async #reserve(request: KeyedRequest, effects: Effects): Promise<Answered | null> {
    const { stored } = this.#deps
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const known = await stored.find(request)
      const before = known && replay(stored, request, known, this.#isUnderWay(request, known))
      if (before) return before
      if (known && effects === 'outside once') throw fail('request.interrupted')
      const isMine = known
        ? await stored.takeOver(request, known.instance_id)
        : await stored.insert(request, { isReserved: true })
      if (isMine) return null
    }
    throw inProgress()
  }

  #isUnderWay(request: KeyedRequest, known: StoredRequest): boolean {
    const isMine = known.instance_id === this.#deps.instance.id
    return isMine ? this.#underWay.has(nameOf(request)) : known.is_alive
  }

  /** Returns a copy of the stream for the client. The copy ends only after the response has been stored. */
  #relay(request: KeyedRequest, answer: PendingAnswer, stream: EventStream): EventStream {
    return relayStream(stream, async (events) => {
      try {
        await this.#store(request, answer, encodeStream(events, stream))
        this.#end(request, answer)
      } catch (error) {
        this.#deps.log.error({ err: error, route: request.route }, 'a streamed answer could not be stored')
        await this.#release(request, answer, false)
      }
    })
  }

  /**
   * Stores the response together with all deferred work. If another process has taken over the row, rolls back the
   * handler's last transaction. Stores nothing if the row was deleted with its user.
   */
  async #store(request: KeyedRequest, answer: PendingAnswer, text: string): Promise<void> {
    const { stored } = this.#deps
    const commit = async (): Promise<true> => {
      await answer.commit(async () => {
        if (await stored.store(request, text, { isReserved: true })) return
        if (answer.isInTransaction && (await stored.find(request))) throw inProgress()
      })
      return true
    }
    let failure: unknown
    const attempts = answer.isInTransaction ? 1 : STORE_ATTEMPTS
    const isStored = await keepTrying(attempts, commit, (error) => {
      failure = error
    })
    if (!isStored) throw failure
  }

  /**
   * Releases the key of a failed request, so that a repeat can run the work. With `forGood`, the key stays reserved,
   * because the work may have had irreversible side effects.
   */
  #release(request: KeyedRequest, answer: PendingAnswer, forGood: boolean): Promise<void> {
    const { log, stored } = this.#deps
    return untilFirstFailure(async (failed) => {
      const report = (error: unknown): void => {
        log.error({ err: error, route: request.route }, 'the key of a failed request could not be released')
        failed()
      }
      await keepTrying(STORE_ATTEMPTS, () => answer.abandon(), report)
      await keepTrying(STORE_ATTEMPTS, () => stored.release(request, forGood), report)
      this.#end(request, answer)
    })
  }

  #end(request: KeyedRequest, answer: PendingAnswer): void {
    this.#underWay.delete(nameOf(request))
    answer.settle()
  }
}

interface OutsideDependencies extends Pick<Dependencies, 'instance' | 'log'> {
  sql: OpenDatabase['sql']
  stored: StoredRequests
  queue: SerialQueue
}

/**
 * Returns whether the key of a failed request must stay reserved. A client error is thrown before the work has any
 * side effect. Any other error can occur after a side effect.
 */
const isFinal = (effects: Effects, error: unknown): boolean =>
  effects === 'outside once' && !(error instanceof AppError && error.status < 500)

/**
 * Returns a copy of the stream for the client. The copy ends only after `ended` has processed all events. If the
 * client disconnects, the work continues, because a repeat can fetch the response.
 */
function relayStream(stream: EventStream, ended: (events: string) => Promise<void>): EventStream {
  const { log: from, named, headers } = stream
  const log = new EventLog()
  const position = startOfLog()
  let events = ''
  let hasEnded = false
  const pump = (): void => {
    for (let piece = from.read(position, true); piece !== undefined; piece = from.read(position, true)) {
      log.appendEvents(piece)
      if (events.length <= ANSWER_BYTES_MAX) events += piece
    }
    if (!from.ended || hasEnded) return
    hasEnded = true
    leave()
    void ended(events).finally(() => log.end())
  }
  const leave = from.follow(pump)
  pump()
  return { log, named, ...(headers && { headers }) }
}

type SerialQueue = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>

/**
 * Creates a queue that runs work with the same name one at a time. 1,000 identical requests therefore use one
 * database connection.
 */
function createSerialQueue(): SerialQueue {
  const last = new Map<string, Promise<unknown>>()
  return async (name, work) => {
    const before = last.get(name)
    const mine = before ? before.then(work, work) : work()
    last.set(name, mine)
    try {
      return await mine
    } finally {
      if (last.get(name) === mine) last.delete(name)
    }
  }
}
