import type { Database } from '#database/connect.ts'
import { systemSql } from '#database/system-sql.ts'
import { fail } from '#errors'
import type { UploadAdmission } from '#platform/http/define-route.ts'
import type { Instance } from '#platform/instance/instance.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { closeOrganization, lockAccounts } from './close-organization-system.ts'

interface Dependencies {
  database: Database
  jobs: Jobs
  instance: Pick<Instance, 'id'>
}

/** Maximum size of an archive. An export contains all files of an organization. @limit imported archive */
export const ARCHIVE_BYTES_MAX = 2 * 1024 ** 3
/**
 * Maximum number of bytes that a user may upload to this process per day. Invalid archives count too.
 * @limit archives that a user uploads per day
 */
const SENT_BYTES_MAX = 8 * ARCHIVE_BYTES_MAX
const DAY_MS = 86_400_000
const RETRY_AFTER_SECONDS = 30

/** Maximum number of abandoned imports that a sweep closes. */
const SWEEP_MAX = 20

/**
 * Tracks the imports of this process, which run one at a time. A failed import leaves a hidden organization, which is
 * closed and erased like any other (close-organization-system.ts).
 */
export class Imports {
  readonly #deps: Dependencies
  readonly #sent = new Map<string, { bytes: number; until: number }>()
  #isBusy = false
  #underWay: string | null = null

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /**
   * Reserves the import slot before the upload starts, so that at most one archive is on disk. The returned `end`
   * frees the slot and counts the uploaded bytes. Throws import.under_way, import.daily_bytes.
   */
  admit(userId: string): UploadAdmission {
    if (this.#isBusy) throw fail('import.under_way', {}, { retryAfter: RETRY_AFTER_SECONDS })
    const sent = this.#sentBy(userId)
    const left = SENT_BYTES_MAX - sent.bytes
    if (left <= 0) throw tooManyBytes(sent.until)
    this.#isBusy = true
    return {
      bytesMax: Math.min(ARCHIVE_BYTES_MAX, left),
      end: (bytes) => {
        sent.bytes += bytes
        this.#isBusy = false
        this.#underWay = null
      },
    }
  }

  /** Returns the user's counter of uploaded bytes, which is reset each day. */
  #sentBy(userId: string): { bytes: number; until: number } {
    const now = Date.now()
    for (const [id, { until }] of this.#sent) if (until <= now) this.#sent.delete(id)
    const sent = this.#sent.get(userId) ?? { bytes: 0, until: now + DAY_MS }
    this.#sent.set(userId, sent)
    return sent
  }

  /** Records the organization of the import in progress, so that sweeps of this process don't close it. */
  noteBegun(organizationId: string): void {
    this.#underWay = organizationId
  }

  /**
   * Closes the organization of a failed import. Has no effect if the import has finished or the organization is
   * closed.
   */
  async close(organizationId: string): Promise<void> {
    const { database, jobs } = this.#deps
    await systemSql(database).begin(async (tx) => {
      await lockAccounts(tx, tx`${organizationId}`)
      const unfinished = await tx`
        select from organizations
        where id = ${organizationId} and importing_by is not null and closed_at is null for update`
      if (unfinished.count > 0) await closeOrganization(tx, jobs, organizationId)
    })
  }

  /** Closes imports abandoned by dead processes, or by this process during a database outage. */
  async closeLeftBehind(): Promise<void> {
    const { database, instance } = this.#deps
    const rows = await systemSql(database)<{ id: string }[]>`
      select id from organizations
      where importing_by is not null and closed_at is null and id is distinct from ${this.#underWay}::uuid
        and (importing_by = ${instance.id} or not exists (
          select from server_instances i where i.id = importing_by and i.lease_until > now()))
      order by id limit ${SWEEP_MAX}`
    for (const { id } of rows) await this.close(id)
  }
}

function tooManyBytes(until: number) {
  const retryAfter = Math.ceil((until - Date.now()) / 1000)
  const hours = Math.ceil(retryAfter / 3600)
  const values = { limit: SENT_BYTES_MAX, wait: hours === 1 ? '1 hour' : `${hours} hours` }
  return fail('import.daily_bytes', values, { retryAfter })
}
