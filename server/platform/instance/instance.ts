import type { Logger } from 'pino'
import type { OpenDatabase } from '#database/connect.ts'
import { newId } from '#database/new-id.ts'
import { repeat } from '../sweeps/repeat.ts'

/** A process that has not renewed its lease for this long is dead; renewed three times as often (contract, 5). */
const LEASE_SECONDS = 15
const RENEWAL_MS = 5_000

/** This process among those that serve the database. Work under way is marked with its id. */
export interface Instance {
  id: string
  /** Gives the lease back: what is still marked with it is for others to settle, at once. */
  stop(): Promise<void>
}

/**
 * Registers this process, keeps its lease alive, and forgets those that are long dead. In embedded mode every earlier
 * process is known to be dead. What is marked with a process that is not known any more is settled like a dead one's.
 */
export async function startInstance({ sql, embedded }: OpenDatabase, log: Logger): Promise<Instance> {
  const id = newId()
  const renew = () => sql`
    insert into server_instances (id, lease_until) values (${id}, now() + ${LEASE_SECONDS} * interval '1 second')
    on conflict (id) do update set lease_until = excluded.lease_until`
  await sql`delete from server_instances where ${embedded} or lease_until < now() - interval '1 day'`
  await renew()
  const endRenewal = repeat(RENEWAL_MS, renew, { log, message: 'the lease of this process was not renewed' })
  return {
    id,
    async stop() {
      endRenewal()
      await sql`delete from server_instances where id = ${id}`
    },
  }
}
