import type { Database } from '#database/connect.ts'
import type { TEXT_KINDS } from '#database/schema/kb.ts'
import type { Fragment, FragmentSql, TenantTransaction } from '#database/tenant-sql.ts'
import { isDocumentClaimable, isDocumentOf } from './claimable.ts'
import { releaseForgotten, sqlOf } from './find-work-system.ts'
import type { KbRef } from './ingestion.ts'
import { lockKb } from './lock-kb.ts'

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
const CLAIM_MAX = 500

/** Documents that wait to be indexed, claimed by this process, so that no two index the same one. */
export class ClaimedDocuments {
  readonly #database: Database
  readonly #instanceId: string
  /** What is being worked on; what is claimed in the table beside these was forgotten. */
  readonly #held = new Set<string>()
  /** Claims whose answers have not come yet. */
  #claiming = 0
  /** A statement has failed, so there may be claims in the table that nobody here knows of. */
  #mayHaveForgotten = false
  #dropping: Promise<void> | undefined

  constructor(database: Database, instanceId: string) {
    this.#database = database
    this.#instanceId = instanceId
  }

  /** The next ones that wait, oldest first. */
  async claim(ref: KbRef): Promise<ClaimedDocument[]> {
    while (this.#dropping) await this.#dropping
    this.#claiming++
    try {
      const rows = await this.#claimNext(ref)
      for (const { id } of rows) this.#held.add(id)
      return rows.sort((a, b) => (a.id < b.id ? -1 : 1))
    } catch (error) {
      this.#mayHaveForgotten = true
      throw error
    } finally {
      this.#claiming--
    }
  }

  /** It waits for nobody, so it needs no lock of the knowledge base. What waits has a text, and so a hash and a kind. */
  #claimNext({ organizationId, kbId }: KbRef): Promise<ClaimedDocument[]> {
    const sql = sqlOf(this.#database, { organizationId })
    return sql<ClaimedDocument[]>`
      with next as (
        select d.id from kb_documents d
        where d.kb_id = ${kbId} and d.organization_id = ${organizationId} and ${isDocumentClaimable(sql)}
        order by d.id limit ${CLAIM_MAX} for update skip locked)
      update kb_documents d set status = 'processing', claimed_by = ${this.#instanceId}
      from next where d.id = next.id and d.content_hash is not null and d.text_kind is not null
      returning d.id, d.name, d.content_hash as "contentHash", d.text_kind as "textKind",
        d.text_bytes as "textBytes", d.failures`
  }

  /** Of a row `d` of the knowledge base: whether it is still claimed by this process. */
  isMine(sql: FragmentSql, { organizationId, kbId }: KbRef): Fragment {
    return sql`d.organization_id = ${organizationId} and d.kb_id = ${kbId} and ${isDocumentOf(sql, this.#instanceId)}`
  }

  /** Gives documents back that were not indexed. */
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
   * Notes why documents could not be indexed: they are tried again, each time after a longer while and each by itself,
   * and after the last try they have failed.
   */
  fail(ref: KbRef, ids: string[], reason: string, isLasting: boolean): Promise<void> {
    return this.#end(
      ref,
      ids,
      (tx) => tx`
        update kb_documents d
        set failures = failures + 1, error = ${reason}, claimed_by = null, updated_at = now(),
          status = case when ${isLasting} or failures + 1 >= ${TRIES_MAX} then 'failed' else 'pending' end,
          not_before = now() + ${FIRST_WAIT_SECONDS} * power(${WAIT_FACTOR}, failures) * interval '1 second'
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

  /** Gives back what this process has claimed and forgot, because the database was away when it was done. */
  async dropForgotten(): Promise<void> {
    // What is claimed right now would look forgotten until the answer has come.
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

/** With the waits between them, about a quarter of an hour: so long a provider may be away. */
const TRIES_MAX = 5
const FIRST_WAIT_SECONDS = 10
const WAIT_FACTOR = 4
