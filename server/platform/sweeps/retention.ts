import type { Logger } from 'pino'
import type { SystemSql, SystemTransaction } from '#database/connect.ts'
import { BatchSize, type Pacer } from './pacer.ts'
import { repeat } from './repeat.ts'

/** Rows that are deleted once they have served their purpose, such as expired sessions. */
export interface RetentionRule {
  /** Name of the rows in log lines. */
  rows: string
  /** Deletes up to `limit` rows, oldest first, found through an index. Returns the number of deleted rows. */
  deleteSome(tx: SystemTransaction, limit: number): Promise<number>
}

const SWEEP_MS = 600_000
/** Maximum number of rows per transaction, so that none holds its locks for long. */
export const BATCH_ROWS = 1_000
const BATCH_ROWS_MIN = 50
/** Key of the advisory lock, the same in every process. */
const RETENTION_LOCK = 7_265_542

/** Deletes rows of `table` whose time in `column` is more than `seconds` ago. An index must begin with the column. */
export const deleteOlderThan = (
  { table, column }: { table: string; column: string },
  seconds: number,
): RetentionRule => ({
  rows: table,
  async deleteSome(tx, limit) {
    const { count } = await tx`
      delete from ${tx(table)} where ctid = any(array(
        select ctid from ${tx(table)} where ${tx(column)} < now() - ${seconds} * interval '1 second'
        order by ${tx(column)} limit ${limit} for update skip locked))`
    return count
  },
})

/**
 * Deletes the rows of all rules in batches. One process at a time deletes a batch. An interrupted sweep leaves no
 * batch half done, and the next one continues.
 */
export class Retention {
  readonly #sql: SystemSql
  readonly #rules: readonly RetentionRule[]
  readonly #pacer: Pacer
  readonly #log: Logger
  readonly #stopping = new AbortController()
  #underWay: Promise<void> | undefined
  #endSweeps = (): void => {}

  constructor(
    sql: SystemSql,
    rules: readonly RetentionRule[],
    { pacer, log }: { pacer: Pacer; log: Logger },
  ) {
    this.#sql = sql
    this.#rules = rules
    this.#pacer = pacer
    this.#log = log
  }

  start(): void {
    const failure = { name: 'retention', log: this.#log, message: 'retention sweep failed' }
    this.#endSweeps = repeat(SWEEP_MS, () => this.sweep(), failure)
  }

  /** Runs a sweep, or joins the one in progress. A rule that fails is logged and does not stop the others. */
  sweep(): Promise<void> {
    this.#underWay ??= this.#deleteAll().finally(() => {
      this.#underWay = undefined
    })
    return this.#underWay
  }

  /** Stops after the current batch. */
  async stop(): Promise<void> {
    this.#endSweeps()
    this.#stopping.abort()
    await this.#underWay
  }

  async #deleteAll(): Promise<void> {
    for (const rule of this.#rules) {
      try {
        await this.#deleteRows(rule)
      } catch (error) {
        if (this.#stopping.signal.aborted) return
        this.#log.error({ err: error, rows: rule.rows }, 'old rows were not deleted; the next sweep retries')
      }
    }
  }

  async #deleteRows(rule: RetentionRule): Promise<void> {
    const size = new BatchSize({ least: BATCH_ROWS_MIN, most: BATCH_ROWS })
    const deleteBatch = (limit: number, starts: () => void): Promise<number> =>
      this.#sql.begin(async (tx) => {
        starts()
        const [lock] = await tx<{ held: boolean }[]>`
          select pg_try_advisory_xact_lock(${RETENTION_LOCK}) as held`
        return lock?.held ? rule.deleteSome(tx, limit) : 0
      })
    for (let [deleted, limit] = [0, 0]; deleted === limit; ) {
      limit = size.now
      deleted = await this.#pacer.pace(size, deleteBatch, this.#stopping.signal)
    }
  }
}
