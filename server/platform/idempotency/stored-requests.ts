import type { OpenDatabase } from '#database/connect.ts'
import { fail } from '#errors'
import type { Secrets } from '#platform/secrets/secrets.ts'
import { EventLog } from '#platform/streams/event-log.ts'
import type { EventStream } from '../http/define-route.ts'

/** How long a repeat is recognized (contract, 5). */
const KEPT_HOURS = 24
/** A larger answer is dropped after an hour. Its row stays, so that a repeat is still recognized and does nothing. */
/** As text: the index has the number in its condition, and a parameter would not match that. */
const LARGE_ANSWER_BYTES = '65536'
const LARGE_KEPT_HOURS = 1
/** The most rows, and bytes of answers, of one user, deployment or network. */
const QUOTA_REQUESTS = 10_000
const QUOTA_BYTES = 32 * 1024 * 1024
const RETRY_SECONDS_MIN = 60
/** So many rows are removed by one statement, and so many statements by one sweep. */
const SWEPT_AT_ONCE = 1_000
const SWEPT_TIMES_MAX = 100

/** What makes two requests the same, or a reuse of the key. */
export interface KeyedRequest {
  owner: string
  route: string
  key: string
  /** Of all that a repeat has to be the same in. */
  hash: string
  /** `owner` and `hash` under the previous secret, where there is one. */
  former?: { owner: string; hash: string }
  /** On whose quota it counts. */
  quota: string
  /** With whom the row goes; null: nobody has to be known. */
  userId: string | null
}

/** What was stored of a request. */
export interface StoredRequest {
  request_hash: string
  /** Encrypted; null: there is none yet, or it was dropped. */
  answer: string | null
  is_answered: boolean
  /** Who works on it outside of the database. */
  instance_id: string | null
  /** Whether that process still has its lease. */
  is_alive: boolean
}

/** The table of requests that came with a key. */
export class StoredRequests {
  readonly #sql: OpenDatabase['sql']
  readonly #secrets: Secrets
  readonly #instanceId: string

  constructor({ sql }: OpenDatabase, secrets: Secrets, instanceId: string) {
    this.#sql = sql
    this.#secrets = secrets
    this.#instanceId = instanceId
  }

  async find({ owner, route, key }: KeyedRequest): Promise<StoredRequest | null> {
    const sql = this.#sql
    const [row] = await sql<(StoredRequest & { is_old: boolean })[]>`
      select request_hash, answer, answered_at is not null as is_answered, instance_id, ${this.#isOld()} as is_old,
        exists (select from server_instances i where i.id = instance_id and i.lease_until > now()) as is_alive
      from idempotent_requests where owner = ${owner} and route = ${route} and key = ${key}`
    if (!row?.is_old) return row ?? null
    await sql`
      delete from idempotent_requests
      where owner = ${owner} and route = ${route} and key = ${key} and ${this.#isOld()}`
    return null
  }

  /**
   * Waits for whoever is inserting the same. False: it is there. `isReserved`: it is worked on by this process. Throws
   * request.too_many_keys where the quota is used up: nothing is evicted for a new key, because the repeat of an evicted
   * request would be done and billed again. Requests at the same moment may exceed the quota by their own number.
   */
  async insert(
    { owner, route, key, hash, quota, userId }: KeyedRequest,
    { isReserved }: { isReserved: boolean },
  ): Promise<boolean> {
    const instanceId = isReserved ? this.#instanceId : null
    const made = await this.#sql`
      insert into idempotent_requests (owner, route, key, request_hash, quota, user_id, instance_id)
      select ${owner}, ${route}, ${key}, ${hash}, ${quota}, ${userId}::uuid, ${instanceId}::uuid
      where not exists (${this.#isFull(quota)}) on conflict do nothing`
    if (made.count === 1) return true
    const [full] = await this.#sql<{ seconds: number | null }[]>`
      select (select extract(epoch from created_at + ${KEPT_HOURS} * interval '1 hour' - now())::int
        from idempotent_requests where quota = ${quota} order by created_at limit 1) as seconds
      where exists (${this.#isFull(quota)})
        and not exists (select from idempotent_requests where owner = ${owner} and route = ${route} and key = ${key})`
    if (!full) return false
    throw fail(
      'request.too_many_keys',
      { requests: QUOTA_REQUESTS, megabytes: QUOTA_BYTES / 1024 / 1024 },
      { retryAfter: Math.max(full.seconds ?? 0, RETRY_SECONDS_MIN) },
    )
  }

  /** Takes over what another process, or this one, has left. False: somebody else was faster. */
  async takeOver({ owner, route, key }: KeyedRequest, from: string | null): Promise<boolean> {
    const taken = await this.#sql`
      update idempotent_requests set instance_id = ${this.#instanceId}
      where owner = ${owner} and route = ${route} and key = ${key} and answered_at is null
        and instance_id is not distinct from ${from}`
    return taken.count === 1
  }

  /** False: the row is not this process's any more. `isReserved` as it was inserted. */
  async store(
    request: KeyedRequest,
    answer: string,
    { isReserved }: { isReserved: boolean },
  ): Promise<boolean> {
    const { owner, route, key } = request
    const sealed = this.#secrets.encrypt(answer, contextOf(request))
    const stored = await this.#sql`
      update idempotent_requests set answer = ${sealed}, answered_at = now(), instance_id = null
      where owner = ${owner} and route = ${route} and key = ${key} and answered_at is null
        and instance_id is not distinct from ${isReserved ? this.#instanceId : null}`
    return stored.count === 1
  }

  /** What this process has reserved is free again; or, `forGood`, cut off: nobody takes it over. */
  async release({ owner, route, key }: KeyedRequest, forGood: boolean): Promise<void> {
    const sql = this.#sql
    const mine = sql`owner = ${owner} and route = ${route} and key = ${key} and answered_at is null
      and instance_id = ${this.#instanceId}`
    if (forGood) await sql`update idempotent_requests set instance_id = null where ${mine}`
    else await sql`delete from idempotent_requests where ${mine}`
  }

  open(request: KeyedRequest, answer: string): string {
    return this.#secrets.decrypt(answer, contextOf(request))
  }

  /** Forgets what nobody may repeat any more, and drops large answers. */
  async sweep(): Promise<void> {
    await this.#dropLargeAnswers()
    for (let time = 0; time < SWEPT_TIMES_MAX; time++) {
      const { count } = await this.#sql`
        delete from idempotent_requests where (owner, route, key) in (
          select owner, route, key from idempotent_requests where ${this.#isOld()}
          order by created_at limit ${SWEPT_AT_ONCE} for update skip locked)`
      if (count < SWEPT_AT_ONCE) return
    }
  }

  async #dropLargeAnswers(): Promise<void> {
    for (let time = 0; time < SWEPT_TIMES_MAX; time++) {
      const { count } = await this.#sql`
        update idempotent_requests set answer = null where (owner, route, key) in (
          select owner, route, key from idempotent_requests
          where octet_length(answer) > ${this.#sql.unsafe(LARGE_ANSWER_BYTES)}
            and answered_at < now() - ${LARGE_KEPT_HOURS} * interval '1 hour'
          order by answered_at limit ${SWEPT_AT_ONCE} for update skip locked)`
      if (count < SWEPT_AT_ONCE) return
    }
  }

  #isFull(quota: string) {
    return this.#sql`
      select from idempotency_quotas
      where quota = ${quota} and (requests >= ${QUOTA_REQUESTS} or bytes >= ${QUOTA_BYTES})`
  }

  #isOld() {
    return this.#sql`created_at < now() - ${KEPT_HOURS} * interval '1 hour'`
  }
}

/** No two rows have the same: none of the three can hold a line break. */
export const nameOf = ({ owner, route, key }: KeyedRequest): string => `${owner}\n${route}\n${key}`

const contextOf = (request: KeyedRequest): string => `answer of ${nameOf(request)}`

/** The largest answer that is kept, in bytes; of a larger one only that it was given. */
export const ANSWER_BYTES_MAX = 1024 * 1024

/** An answer as it is stored: a value, the events of a stream, or only that it was too large. */
type StoredAnswer =
  | { value: unknown }
  | { events: string; named: boolean; headers: Record<string, string> }
  | { isTooLarge: true }

export const encodeValue = (value: unknown): string => bounded({ value })

/** Encodes a stream that has ended. */
export const encodeStream = (events: string, { named, headers = {} }: EventStream): string =>
  bounded({ events, named, headers })

/** Returns what a repeat is answered. Throws request.answer_not_kept. */
export function decodeAnswer(text: string): unknown {
  const answer = JSON.parse(text) as StoredAnswer
  if ('value' in answer) return answer.value
  if ('isTooLarge' in answer) throw fail('request.answer_not_kept')
  const log = new EventLog()
  if (answer.events !== '') log.appendEvents(answer.events)
  log.end()
  return { log, named: answer.named, headers: answer.headers } satisfies EventStream
}

function bounded(answer: StoredAnswer): string {
  const text = JSON.stringify(answer)
  return Buffer.byteLength(text) > ANSWER_BYTES_MAX
    ? JSON.stringify({ isTooLarge: true } satisfies StoredAnswer)
    : text
}
