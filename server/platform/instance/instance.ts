import type { Logger } from 'pino'
import type { OpenDatabase, SystemSql } from '#database/connect.ts'
import { newId } from '#database/new-id.ts'
import type { Activity } from '../sweeps/activity.ts'
import { repeat } from '../sweeps/repeat.ts'

/** A process that has not renewed its lease for `seconds` is considered dead. */
const LEASE = { seconds: 15, renewalMs: 5_000 }
/** No other process waits for the end of this lease, so it is renewed rarely. */
const EMBEDDED_LEASE = { seconds: 600, renewalMs: 200_000 }

/** This server process, among all processes that use the database. Rows of work in progress contain its id. */
export interface Instance {
  id: string
  /** Number of other processes that were alive when this process started. */
  others: number
  /** Releases the lease, so that other processes take over this process's unfinished work immediately. */
  stop(): Promise<void>
}

/**
 * Registers this process and renews its lease. Each renewal also tells the other processes when this one last used the
 * database, and reads when they did (sweeps/activity.ts). Another process therefore notices activity after at most two
 * intervals. Deletes the entries of processes whose lease ended more than a day ago. In embedded mode, no other process
 * can be alive, so all earlier entries are deleted. Work of a process without an entry counts as abandoned.
 */
export async function startInstance(
  { sql, embedded }: OpenDatabase,
  activity: Activity,
  log: Logger,
): Promise<Instance> {
  const id = newId()
  const { seconds, renewalMs } = embedded ? EMBEDDED_LEASE : LEASE
  const renew = () => renewLease(sql, id, seconds, activity)
  await sql`delete from server_instances where ${embedded} or lease_until < now() - interval '1 day'`
  const [alive] = await sql<{ count: number }[]>`
    select count(*)::int as count from server_instances where lease_until > now()`
  await renew()
  const endRenewal = repeat(renewalMs, renew, {
    name: 'lease',
    log,
    message: 'the lease of this process could not be renewed',
  })
  return {
    id,
    others: alive?.count ?? 0,
    async stop() {
      endRenewal()
      await sql`delete from server_instances where id = ${id}`
    },
  }
}

/** Renews the lease of a process, and exchanges its activity with the other processes. */
export async function renewLease(
  sql: SystemSql,
  id: string,
  seconds: number,
  activity: Activity,
): Promise<void> {
  // The row of a process of an earlier version has no time of activity, so that process counts as active.
  const [row] = await sql<{ others_quiet_ms: number | null }[]>`
    insert into server_instances as own (id, lease_until, active_at)
    values (${id}, now() + ${seconds} * interval '1 second', now() - ${activity.ownQuietMs()} * interval '1 millisecond')
    on conflict (id) do update set lease_until = excluded.lease_until, active_at = excluded.active_at
    returning (
      select extract(epoch from now() - max(coalesce(other.active_at, now())))::float8 * 1000
      from server_instances other where other.id <> own.id and other.lease_until > now()) as others_quiet_ms`
  if (typeof row?.others_quiet_ms === 'number') activity.heardOfOthers(row.others_quiet_ms)
}
