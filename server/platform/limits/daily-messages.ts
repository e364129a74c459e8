import { fail } from '#errors'
import type { OpenDeployment } from '#platform/access/scope.ts'
import { secondsToMidnight } from './calendar.ts'

/** One message of those that a deployment may take on a day. */
export interface DailyMessage {
  /** For a message that was refused after all. */
  release(): Promise<void>
}

/**
 * Takes one of a deployment's messages of the day (UTC): exact, however many come at once. Without a limit nothing is
 * counted. Throws deployment.daily_limit.
 */
export async function reserveDailyMessage({
  id,
  organizationId,
  config,
  scope: { sql },
}: OpenDeployment): Promise<DailyMessage> {
  const limit = config.daily_message_limit
  if (limit === undefined) return { release: async () => {} }
  const [reserved] = await sql<{ day: string }[]>`
    with today as (select (now() at time zone 'utc')::date as day),
    past as (
      delete from deployment_turns using today where deployment_id = ${id} and deployment_turns.day < today.day - 1)
    insert into deployment_turns as t (deployment_id, day, taken)
    select d.id, today.day, 1 from agent_deployments d, today 
    where d.id = ${id} and d.organization_id = ${organizationId}
    on conflict (deployment_id, day) do update set taken = t.taken + 1 where t.taken < ${limit}
    returning day::text`
  if (!reserved) throw fail('deployment.daily_limit', {}, { retryAfter: secondsToMidnight() })
  return {
    async release() {
      await sql`
        update deployment_turns set taken = taken - 1
        where deployment_id = ${id} and day = ${reserved.day}::text::date and taken > 0`
    },
  }
}
