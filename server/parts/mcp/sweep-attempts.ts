import type { McpDependencies } from './dependencies.ts'

/** An instance that is pending so long without an attempt that could still be finished never will be. */
const PENDING_MINUTES_MAX = 15
/** So many instances are removed by one sweep. */
const SWEEP_MAX = 1_000

/** Removes attempts to connect that nobody has finished, and the instances that were to come of them. */
export async function sweepAttempts({ database: { sql } }: Pick<McpDependencies, 'database'>): Promise<void> {
  await sql`delete from mcp_attempts where expires_at <= now()`
  await sql`
    delete from mcp_instances where id in (
      select id from mcp_instances i
      where status = 'pending' and created_at < now() - ${PENDING_MINUTES_MAX} * interval '1 minute'
        and updated_at < now() - ${PENDING_MINUTES_MAX} * interval '1 minute'
        and not exists (select from mcp_attempts a where a.instance_id = i.id)
      limit ${SWEEP_MAX})`
}
