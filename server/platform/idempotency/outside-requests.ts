import type { Logger } from 'pino'
import type { Database } from '#database/connect.ts'
import { AppError, fail } from '#errors'
import { keepTrying } from '#platform/sweeps/keep-trying.ts'
import type { EventStream } from '../http/define-route.ts'
import { AnswerUnderWay } from './answer-under-way.ts'
import { isEventStream, keepStream, keepValue, relayStream } from './kept-answer.ts'
import { type Answered, ATTEMPTS_MAX, type Effects, inProgress, replay } from './replay.ts'
import type { SerialQueue } from './serial-queue.ts'
import { type KeyedRequest, nameOf, type StoredRequest, type StoredRequests } from './stored-requests.ts'

/** A database that is away for a moment must not cost the answer. */
const STORE_ATTEMPTS = 4

interface Dependencies {
  sql: Database['sql']
  stored: StoredRequests
  instance: { id: string }
  log: Logger
  queue: SerialQueue
}

/**
 * Requests that work outside of the database: each is reserved for this process, worked on, and its answer is stored
 * with the last of what it does in the database.
 */
export class OutsideRequests {
  readonly #deps: Dependencies
  /** What this process works on. */
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /** Throws what Idempotency.once throws. */
  async answer(request: KeyedRequest, effects: Effects, work: () => Promise<unknown>): Promise<Answered> {
    const answer = new AnswerUnderWay(this.#deps.sql)
    const before = await this.#deps.queue(nameOf(request), async () => {
      const found = await this.#reserve(request, effects)
      if (found === null) this.#underWay.set(nameOf(request), answer.stored)
      return found
    })
    if (before) return before
    try {
      const value = await answer.run(work)
      if (isEventStream(value)) return { value: this.#relay(request, answer, value), isReplayed: false }
      await this.#store(request, answer, keepValue(value))
      this.#end(request, answer)
      return { value, isReplayed: false }
    } catch (error) {
      await this.#letGo(request, answer, isFinal(effects, error))
      throw error
    }
  }

  async allStored(): Promise<void> {
    await Promise.all(this.#underWay.values())
  }

  /** Takes the row for this process, or answers what was answered. */
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

  /** The stream for its client, which ends when it is stored. */
  #relay(request: KeyedRequest, answer: AnswerUnderWay, stream: EventStream): EventStream {
    return relayStream(stream, async (events) => {
      try {
        await this.#store(request, answer, keepStream(events, stream))
        this.#end(request, answer)
      } catch (error) {
        this.#deps.log.error({ err: error, route: request.route }, 'the answer of a stream was not stored')
        await this.#letGo(request, answer, false)
      }
    })
  }

  /**
   * With all that was left to it. Where the row was taken meanwhile, what the rest of the request has done is undone;
   * where it has gone, with its user, there is nothing to store.
   */
  async #store(request: KeyedRequest, answer: AnswerUnderWay, text: string): Promise<void> {
    const { stored } = this.#deps
    const commit = async (): Promise<true> => {
      await answer.commit(async () => {
        if (await stored.store(request, text, { isReserved: true })) return
        if (answer.isJoined && (await stored.find(request))) throw inProgress()
      })
      return true
    }
    let failure: unknown
    const attempts = answer.isJoined ? 1 : STORE_ATTEMPTS
    const isStored = await keepTrying(attempts, commit, (error) => {
      failure = error
    })
    if (!isStored) throw failure
  }

  /** What fails leaves the key free, unless it may have done what can't be undone. */
  async #letGo(request: KeyedRequest, answer: AnswerUnderWay, forGood: boolean): Promise<void> {
    const failed = (error: unknown): void =>
      this.#deps.log.error({ err: error, route: request.route }, 'a request that failed was not let go')
    await keepTrying(STORE_ATTEMPTS, () => answer.giveUp(), failed)
    await keepTrying(STORE_ATTEMPTS, () => this.#deps.stored.release(request, forGood), failed)
    this.#end(request, answer)
  }

  #end(request: KeyedRequest, answer: AnswerUnderWay): void {
    this.#underWay.delete(nameOf(request))
    answer.end()
  }
}

/** A refusal comes before anything is done; what fails later may have done it. */
const isFinal = (effects: Effects, error: unknown): boolean =>
  effects === 'outside once' && !(error instanceof AppError && error.status < 500)
