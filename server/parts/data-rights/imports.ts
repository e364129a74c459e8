import type { Sql } from 'postgres'
import { fail } from '#errors'
import type { Instance } from '#platform/instance/instance.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { closeOrganization, lockAccounts } from './close-organization.ts'

interface Desk {
  sql: Sql
  jobs: Jobs
  instance: Pick<Instance, 'id'>
}

/** So many that were left behind are closed at once. */
const SWEEP_MAX = 20

/**
 * Imports of this process, of which one at a time is stored, and what becomes of those that do not end well: their organizations, which
 * nobody has seen, are closed and erased like any other (close-organization.ts).
 */
export class Imports {
  readonly #desk: Desk
  #isBusy = false
  #underWay: string | null = null

  constructor(desk: Desk) {
    this.#desk = desk
  }

  /** Throws import.under_way. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isBusy) throw fail('import.under_way')
    this.#isBusy = true
    try {
      return await work()
    } finally {
      this.#isBusy = false
      this.#underWay = null
    }
  }

  /** From here on this organization is not left behind. */
  noteBegun(organizationId: string): void {
    this.#underWay = organizationId
  }

  /** Closes the organization of an import that has failed, unless it is whole or closed already. */
  async close(organizationId: string): Promise<void> {
    const { sql, jobs } = this.#desk
    await sql.begin(async (tx) => {
      await lockAccounts(tx, tx`${organizationId}`)
      const unfinished = await tx`
        select from organizations
        where id = ${organizationId} and importing_by is not null and closed_at is null for update`
      if (unfinished.count > 0) await closeOrganization(tx, jobs, organizationId)
    })
  }

  /** Closes what processes that are gone have left behind, and this one when the database was away. */
  async closeLeftBehind(): Promise<void> {
    const { sql, instance } = this.#desk
    const rows = await sql<{ id: string }[]>`
      select id from organizations
      where importing_by is not null and closed_at is null and id is distinct from ${this.#underWay}::uuid
        and (importing_by = ${instance.id} or not exists (
          select from server_instances i where i.id = importing_by and i.lease_until > now()))
      order by id limit ${SWEEP_MAX}`
    for (const { id } of rows) await this.close(id)
  }
}
