import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { systemSql } from '#database/system-sql.ts'
import type { RunningSweep, Sweeps } from '#platform/sweeps/sweeps.ts'
import { type ErasureDependencies, eraseOrganization } from './erase-organization-system.ts'
import { eraseUser } from './erase-user-system.ts'

export type ErasureSubject = { organizationId: string } | { userId: string }

/**
 * Maximum time that a deletion request waits for the erasure, in milliseconds. The erasure then continues in the
 * background.
 */
const WAIT_MS = 10_000
const SWEEP_MS = 15_000
const STOP_MS = 2_000
/** Maximum number of organizations, and of users, that a sweep erases. */
const SWEEP_MAX = 20

/**
 * Erases closed organizations and deleted accounts. An erasure starts with the request that causes it. Sweeps
 * continue interrupted erasures of all processes.
 */
export class Eraser {
  readonly #deps: Omit<ErasureDependencies, 'signal'>
  readonly #sweepFiles: () => Promise<number>
  readonly #closeLeftBehind: () => Promise<void>
  readonly #log: Logger
  readonly #sweeps: Sweeps
  readonly #stopping = new AbortController()
  readonly #running = new Map<string, Promise<void>>()
  #sweep: RunningSweep | undefined

  constructor(
    deps: Omit<ErasureDependencies, 'signal'>,
    tasks: { sweepFiles: () => Promise<number>; closeLeftBehind: () => Promise<void> },
    { log, sweeps }: { log: Logger; sweeps: Sweeps },
  ) {
    this.#deps = deps
    this.#sweepFiles = tasks.sweepFiles
    this.#closeLeftBehind = tasks.closeLeftBehind
    this.#log = log
    this.#sweeps = sweeps
  }

  /** Starts an erasure. Resolves when it ends, or after `WAIT_MS`. Never rejects. */
  async erase(subject: ErasureSubject): Promise<void> {
    await Promise.race([this.#run(subject), sleep(WAIT_MS, undefined, { ref: false })])
  }

  /** Continues unfinished erasures now, and then periodically. */
  start(): void {
    this.#sweep = this.#sweeps.begin({
      name: 'erasures',
      everyMs: SWEEP_MS,
      find: () => this.#findUnfinished(),
      work: async (subjects) => {
        for (const subject of subjects) if (!this.#stopping.signal.aborted) await this.#run(subject)
      },
      failure: 'pending erasures could not be listed',
    })
  }

  /** Returns unfinished erasures in random order, so that one that always fails doesn't block the others. */
  async #findUnfinished(): Promise<ErasureSubject[]> {
    const sql = systemSql(this.#deps.database)
    await this.#closeLeftBehind()
    const organizations = await sql<{ organizationId: string }[]>`
      select id as "organizationId" from organizations where closed_at is not null
      order by random() limit ${SWEEP_MAX}`
    const users = await sql<{ userId: string }[]>`
      select id as "userId" from users where leaving is not null order by random() limit ${SWEEP_MAX}`
    return [...organizations, ...users]
  }

  /** Aborts erasures in progress and waits up to `STOP_MS` milliseconds for them to end. */
  async stop(): Promise<void> {
    void this.#sweep?.end()
    this.#stopping.abort()
    await Promise.race([Promise.all(this.#running.values()), sleep(STOP_MS, undefined, { ref: false })])
  }

  #run(subject: ErasureSubject): Promise<void> {
    const id = 'userId' in subject ? subject.userId : subject.organizationId
    const known = this.#running.get(id)
    if (known) return known
    const run = this.#work(subject).finally(() => this.#running.delete(id))
    this.#running.set(id, run)
    return run
  }

  async #work(subject: ErasureSubject): Promise<void> {
    const deps = { ...this.#deps, signal: this.#stopping.signal }
    try {
      if ('userId' in subject) await eraseUser(deps, subject.userId)
      else await eraseOrganization(deps, subject.organizationId)
      for (let removed = 1; removed > 0 && !deps.signal.aborted; ) removed = await this.#sweepFiles()
    } catch (error) {
      if (!deps.signal.aborted)
        this.#log.warn({ err: error, ...subject }, 'erasure interrupted; a sweep continues it')
    }
  }
}
