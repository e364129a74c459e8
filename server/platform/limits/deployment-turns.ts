import type { Sql } from 'postgres'
import { fail } from '#errors'
import type { OpenDeployment } from '#platform/access/scope.ts'
import { secondsToMidnight } from './calendar.ts'

/** One message of those that a deployment may take on a day. */
export interface Turn {
  /** For a message that was refused after all. */
  giveBack(): Promise<void>
}

/**
 * Takes one of a deployment's messages of the day (UTC): exact, however many come at once. Without a limit nothing is
 * counted. Throws deployment.daily_limit.
 */
export async function takeTurn(
  sql: Sql,
  { id, config }: Pick<OpenDeployment, 'id' | 'config'>,
): Promise<Turn> {
  const limit = config.daily_message_limit
  if (limit === undefined) return { giveBack: async () => {} }
  const [taken] = await sql<{ day: string }[]>`
    with today as (select (now() at time zone 'utc')::date as day),
    past as (
      delete from deployment_turns using today where deployment_id = ${id} and deployment_turns.day < today.day - 1)
    insert into deployment_turns as t (deployment_id, day, taken)
    select d.id, today.day, 1 from agent_deployments d, today where d.id = ${id}
    on conflict (deployment_id, day) do update set taken = t.taken + 1 where t.taken < ${limit}
    returning day::text`
  if (!taken) throw fail('deployment.daily_limit', {}, { retryAfter: secondsToMidnight() })
  return {
    async giveBack() {
      await sql`
        update deployment_turns set taken = taken - 1
        where deployment_id = ${id} and day = ${taken.day}::text::date and taken > 0`
    },
  }
}
