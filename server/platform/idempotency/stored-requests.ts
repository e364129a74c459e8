import type { OpenDatabase } from '#database/connect.ts'
import { parseExactJson } from '#database/exact-json.ts'
import { fail } from '#errors'
import type { Secrets } from '#platform/secrets/secrets.ts'
import { EventLog, type NamedEvents } from '#platform/streams/event-log.ts'
import { deleteOlderThan, type RetentionRule } from '#platform/sweeps/retention.ts'
import type { EventStream } from '../http/define-route.ts'

/** Time for which repeats are recognized. */
const KEPT_HOURS = 24
/**
 * Size in bytes beyond which a response is deleted early. Inserted into statements as text, because the index's
 * predicate contains the number, and PostgreSQL would not match a parameter with it.
 */
const LARGE_ANSWER_BYTES = '65536'
/** Time for which large responses are stored. Their rows stay, so a repeat is still recognized and has no effect. */
const LARGE_KEPT_HOURS = 1
/**
 * Limits per user, deployment or network: number of rows, and total size of responses.
 * @limit requests with an idempotency key per caller and day
 */
const QUOTA_REQUESTS = 10_000
/** @limit stored responses per caller and day */
const QUOTA_BYTES = 32 * 1024 * 1024
const RETRY_SECONDS_MIN = 60

/** Requests whose repeats are no longer recognized, and large responses that are dropped early. */
export const requestRetention: RetentionRule[] = [
  {
    rows: 'large responses of idempotent requests',
    async deleteSome(tx, limit) {
      const { count } = await tx`
        update idempotent_requests set answer = null where (owner, route, key) in (
          select owner, route, key from idempotent_requests
          where octet_length(answer) > ${tx.unsafe(LARGE_ANSWER_BYTES)}
            and answered_at < now() - ${LARGE_KEPT_HOURS} * interval '1 hour'
          order by answered_at limit ${limit} for update skip locked)`
      return count
    },
  },
  deleteOlderThan({ table: 'idempotent_requests', column: 'created_at' }, KEPT_HOURS * 3_600),
]

/**
 * A request with an idempotency key. `owner`, `route` and `key` identify the request. A different hash means that the
 * client reused the key for another request.
 */
export interface KeyedRequest {
  owner: string
  route: string
  key: string
  /** Hash of all parts of the request that must be equal in a repeat. */
  hash: string
  /** `owner` and `hash` under the previous secret. Omitted if there is no previous secret. */
  former?: { owner: string; hash: string }
  /** The user, deployment or network whose quota includes the request. */
  quota: string
  /** The user whose deletion also deletes the row. Null for an anonymous client. */
  userId: string | null
}

export interface StoredRequest {
  request_hash: string
  /** The encrypted response. Null if there is none yet, or if it was dropped because of its size. */
  answer: string | null
  is_answered: boolean
  /** The process that has reserved the request. Null if no process has. */
  instance_id: string | null
  /** True if that process still holds its lease. */
  is_alive: boolean
}

/** Reads and writes the table of requests with an idempotency key. */
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
   * Inserts a row, after waiting for a concurrent insert of the same key. Returns false if the row exists. With
   * `isReserved`, reserves the row for this process.
   *
   * Throws request.too_many_keys if the quota is exhausted. No row is evicted for a new key, because a repeat of the
   * evicted request would run and be charged again. Concurrent requests may exceed the quota by their number.
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

  /**
   * Takes over a row from a process that has abandoned it. Returns false if another process has taken the row over
   * first.
   */
  async takeOver({ owner, route, key }: KeyedRequest, from: string | null): Promise<boolean> {
    const taken = await this.#sql`
      update idempotent_requests set instance_id = ${this.#instanceId}
      where owner = ${owner} and route = ${route} and key = ${key} and answered_at is null
        and instance_id is not distinct from ${from}`
    return taken.count === 1
  }

  /**
   * Stores the response. Returns false if the row is no longer reserved by this process. `isReserved` must be the
   * value that was passed to `insert`.
   */
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

  /**
   * Deletes a row that this process has reserved, so that a repeat can run the work. With `forGood`, keeps the row
   * without a process. A repeat then fails as interrupted.
   */
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

  /** Deletes rows that are too old for repeats, and drops large responses. */
  #isFull(quota: string) {
    return this.#sql`
      select from idempotency_quotas
      where quota = ${quota} and (requests >= ${QUOTA_REQUESTS} or bytes >= ${QUOTA_BYTES})`
  }

  #isOld() {
    return this.#sql`created_at < now() - ${KEPT_HOURS} * interval '1 hour'`
  }
}

/** Returns a unique name for the request. `owner`, `route` and `key` cannot contain a line break. */
export const nameOf = ({ owner, route, key }: KeyedRequest): string => `${owner}\n${route}\n${key}`

const contextOf = (request: KeyedRequest): string => `answer of ${nameOf(request)}`

/**
 * Maximum size of a stored response in bytes. A larger response is not stored, but its request counts as answered.
 * @limit stored response
 */
export const ANSWER_BYTES_MAX = 1024 * 1024

/** A stored response: a value, the events of a stream, or a marker that the response was too large. */
type StoredAnswer =
  | { value: unknown }
  | { events: string; named: NamedEvents; headers: Record<string, string> }
  | { isTooLarge: true }

export const encodeValue = (value: unknown): string => bounded({ value })

/** Encodes a stream that has ended. */
export const encodeStream = (events: string, { named, headers = {} }: EventStream): string =>
  bounded({ events, named, headers })

/** Returns the response for a repeat. Throws request.answer_not_kept if the response was too large to store. */
export function decodeAnswer(text: string): unknown {
  const answer = parseExactJson(text) as StoredAnswer
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
