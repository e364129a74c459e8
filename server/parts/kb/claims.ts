import type { Database } from '#database/connect.ts'
import type { TEXT_KINDS } from '#database/schema/kb.ts'
import type { Fragment, FragmentSql, TenantTransaction } from '#database/tenant-sql.ts'
import { isAtWork } from '#platform/access/suspension.ts'
import { hasSource, isDocumentClaimable, isDocumentOf } from './claimable.ts'
import { releaseForgotten, sqlOf } from './find-work-system.ts'
import type { KbRef } from './ingestion.ts'
import { lockKb } from './lock-kb.ts'

export interface ClaimedDocument {
  id: string
  name: string
  contentHash: string
  textKind: (typeof TEXT_KINDS)[number]
  textBytes: number
  failures: number
}

/** Claims pending documents for this process, so that no two processes index the same document. */
export class ClaimedDocuments {
  readonly #database: Database
  readonly #instanceId: string
  /**
   * Documents in progress. If a claim is in the table but not here, the statement that stored it has failed. Such a
   * claim is called forgotten.
   */
  readonly #held = new Set<string>()
  /** Number of claim statements in flight. */
  #claiming = 0
  /** Set after a failed statement. The table may then contain claims that are not in `#held`. */
  #mayHaveForgotten = false
  #dropping: Promise<void> | undefined

  constructor(database: Database, instanceId: string) {
    this.#database = database
    this.#instanceId = instanceId
  }

  /** Claims up to `limit` of the next pending documents, oldest first. */
  async claim(ref: KbRef, limit: number): Promise<ClaimedDocument[]> {
    while (this.#dropping) await this.#dropping
    this.#claiming++
    try {
      const rows = await this.#claimNext(ref, limit)
      for (const { id } of rows) this.#held.add(id)
      return rows.sort((a, b) => (a.id < b.id ? -1 : 1))
    } catch (error) {
      this.#mayHaveForgotten = true
      throw error
    } finally {
      this.#claiming--
    }
  }

  /**
   * Needs no lock on the knowledge base, because `skip locked` never waits. The null checks only satisfy the types:
   * pending documents have a text, and therefore a hash and a kind.
   */
  #claimNext({ organizationId, kbId }: KbRef, limit: number): Promise<ClaimedDocument[]> {
    const sql = sqlOf(this.#database, { organizationId })
    return sql<ClaimedDocument[]>`
      with next as (
        select d.id from kb_documents d
        where d.kb_id = ${kbId} and d.organization_id = ${organizationId} and ${isDocumentClaimable(sql)}
          and ${hasSource(sql)} and ${isAtWork(sql, sql`${organizationId}::uuid`)}
        order by d.id limit ${limit} for update skip locked)
      update kb_documents d set status = 'processing', claimed_by = ${this.#instanceId}
      from next where d.id = next.id and d.content_hash is not null and d.text_kind is not null
      returning d.id, d.name, d.content_hash as "contentHash", d.text_kind as "textKind",
        d.text_bytes as "textBytes", d.failures`
  }

  /**
   * For a row `d` of kb_documents: true if the document belongs to a source of the knowledge base and this process has
   * claimed it.
   */
  isMine(sql: FragmentSql, { organizationId, kbId }: KbRef): Fragment {
    return sql`d.organization_id = ${organizationId} and d.kb_id = ${kbId} and ${isDocumentOf(sql, this.#instanceId)}
      and ${hasSource(sql)}`
  }

  /** Makes claimed documents pending again. */
  release(ref: KbRef, ids: string[]): Promise<void> {
    return this.#end(
      ref,
      ids,
      (tx) =>
        tx`update kb_documents d set status = 'pending', claimed_by = null
          where d.id = any(${ids}) and ${this.isMine(tx, ref)}`,
    )
  }

  /**
   * Records why documents could not be indexed. Each document is retried separately: with exponential backoff, at once,
   * or never. A document fails permanently after `TRIES_MAX` attempts.
   */
  fail(ref: KbRef, ids: string[], reason: string, retry: 'later' | 'at once' | 'never'): Promise<void> {
    const waitSeconds = retry === 'later' ? FIRST_WAIT_SECONDS : 0
    return this.#end(
      ref,
      ids,
      (tx) => tx`
        update kb_documents d
        set failures = failures + 1, error = ${reason}, claimed_by = null, updated_at = now(),
          status = case when ${retry === 'never'} or failures + 1 >= ${TRIES_MAX} then 'failed' else 'pending' end,
          not_before = now() + ${waitSeconds} * power(${WAIT_FACTOR}, failures) * interval '1 second'
        where d.id = any(${ids}) and ${this.isMine(tx, ref)}`,
    )
  }

  async #end(ref: KbRef, ids: string[], change: (tx: TenantTransaction) => Promise<unknown>): Promise<void> {
    try {
      await sqlOf(this.#database, ref).begin(async (tx) => {
        await lockKb(tx, ref)
        await change(tx)
      })
    } catch (error) {
      this.#mayHaveForgotten = true
      throw error
    } finally {
      for (const id of ids) this.#held.delete(id)
    }
  }

  /** Releases claims in the table that are missing from `#held` because a statement failed. */
  async dropForgotten(): Promise<void> {
    // The claims of a statement in flight are not in `#held` yet, and must not be released.
    if (!this.#mayHaveForgotten || this.#claiming > 0) return
    this.#mayHaveForgotten = false
    this.#dropping = releaseForgotten(this.#database, this.#instanceId, [...this.#held])
      .catch(() => {
        this.#mayHaveForgotten = true
      })
      .finally(() => {
        this.#dropping = undefined
      })
    await this.#dropping
  }
}

/** Retries with backoff cover provider outages of about 15 minutes. */
const TRIES_MAX = 5
const FIRST_WAIT_SECONDS = 10
const WAIT_FACTOR = 4
