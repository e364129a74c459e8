import type { ISql, Sql } from 'postgres'
import type { TEXT_KINDS } from '#database/schema/kb.ts'
import type { KbPlace } from './ingestion.ts'

/** Whether the process that has claimed a row is alive. */
export const isAlive = (sql: ISql) => sql`exists (
  select from server_instances i where i.id = claimed_by and i.lease_until > now())`

/** A document that this process is to index. */
export interface ClaimedDocument {
  id: string
  name: string
  contentHash: string
  textKind: (typeof TEXT_KINDS)[number]
  textBytes: number
  failures: number
}

/** So many documents are claimed at once. */
const CLAIM_MAX = 200

/** Documents that wait to be indexed, claimed by this process, so that no two index the same one. */
export class ClaimedDocuments {
  readonly #sql: Sql
  readonly #instanceId: string
  /** What is being worked on; what is claimed in the table beside these was forgotten. */
  readonly #held = new Set<string>()

  constructor(sql: Sql, instanceId: string) {
    this.#sql = sql
    this.#instanceId = instanceId
  }

  /** Of a row `d` of kb_documents: whether it waits, and nobody who lives is at it. */
  claimable() {
    const sql = this.#sql
    return sql`(d.status = 'pending' and (d.not_before is null or d.not_before <= now())
      or d.status = 'processing' and not ${isAlive(sql)})`
  }

  /** The next ones that wait, oldest first. */
  async claim({ organizationId, kbId }: KbPlace): Promise<ClaimedDocument[]> {
    const rows = await this.#sql<ClaimedDocument[]>`
      with next as (
        select d.id from kb_documents d
        where d.kb_id = ${kbId} and d.organization_id = ${organizationId} and ${this.claimable()}
        order by d.id limit ${CLAIM_MAX} for update skip locked)
      update kb_documents d set status = 'processing', claimed_by = ${this.#instanceId}
      from next where d.id = next.id
      returning d.id, d.name, d.content_hash as "contentHash", d.text_kind as "textKind",
        d.text_bytes as "textBytes", d.failures`
    for (const { id } of rows) this.#held.add(id)
    return rows.sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  /** Of a row `d`: whether it is still claimed by this process. */
  isMine() {
    return this.#sql`d.status = 'processing' and d.claimed_by = ${this.#instanceId}`
  }

  /** Gives documents back that were not indexed. */
  async release(ids: string[]): Promise<void> {
    await this.#sql`
      update kb_documents d set status = 'pending', claimed_by = null where d.id = any(${ids}) and ${this.isMine()}`
    this.forget(ids)
  }

  /**
   * Notes why documents could not be indexed: they are tried again, each time after a longer while and each by itself,
   * and after the last try they have failed.
   */
  async fail(ids: string[], reason: string, isLasting: boolean): Promise<void> {
    await this.#sql`
      update kb_documents d
      set failures = failures + 1, error = ${reason}, claimed_by = null, updated_at = now(),
        status = case when ${isLasting} or failures + 1 >= ${TRIES_MAX} then 'failed' else 'pending' end,
        not_before = now() + ${FIRST_WAIT_SECONDS} * power(${WAIT_FACTOR}, failures) * interval '1 second'
      where d.id = any(${ids}) and ${this.isMine()}`
    this.forget(ids)
  }

  /** After what was claimed has been stored. */
  forget(ids: readonly string[]): void {
    for (const id of ids) this.#held.delete(id)
  }

  /** Gives back what this process has claimed and forgot, because the database was away when it was done. */
  async dropForgotten(): Promise<void> {
    const held = [...this.#held]
    await this.#sql`
      update kb_documents d set status = 'pending', claimed_by = null
      where d.kb_id in (select s.kb_id from kb_sources s where s.documents_pending > 0)
        and ${this.isMine()} and not d.id = any(${held})`
  }
}

const TRIES_MAX = 3
const FIRST_WAIT_SECONDS = 10
const WAIT_FACTOR = 4
