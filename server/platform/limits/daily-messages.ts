import { fail } from '#errors'
import type { OpenDeployment } from '#platform/access/scope.ts'
import { secondsToMidnight } from './calendar.ts'

/** A reservation of one message in a deployment's daily limit. */
export interface DailyMessage {
  /** Cancels the reservation if the message turns out not to count. */
  release(): Promise<void>
}

const UNCOUNTED: DailyMessage = { release: async () => {} }

/**
 * Reserves a message in the deployment's daily limit and calls `send`. Cancels the reservation if `send` throws.
 * Without a deployment, only calls `send`. Throws deployment.daily_limit, and the errors of `send`.
 */
export const withDailyMessage = <Sent>(
  deployment: OpenDeployment | null,
  send: (dailyMessage: DailyMessage) => Promise<Sent>,
): Promise<Sent> => (deployment ? sendCounted(deployment, send) : send(UNCOUNTED))

async function sendCounted<Sent>(
  deployment: OpenDeployment,
  send: (dailyMessage: DailyMessage) => Promise<Sent>,
): Promise<Sent> {
  const dailyMessage = await reserve(deployment)
  try {
    return await send(dailyMessage)
  } catch (error) {
    await dailyMessage.release()
    throw error
  }
}

/**
 * Reserves a message for the current UTC day. Concurrent reservations never exceed the limit. Does nothing if the
 * deployment has no limit.
 */
async function reserve({
  id,
  organizationId,
  config,
  scope: { sql },
}: OpenDeployment): Promise<DailyMessage> {
  const limit = config.daily_message_limit
  if (limit === undefined) return UNCOUNTED
  const [reserved] = await sql<{ day: string }[]>`
    with today as (select (now() at time zone 'utc')::date as day),
    past as (
      delete from deployment_turns using today where deployment_id = ${id} and deployment_turns.day < today.day - 1)
    insert into deployment_turns as t (deployment_id, day, taken)
    select d.id, today.day, 1 from agent_deployments d, today 
    where d.id = ${id} and d.organization_id = ${organizationId}
    on conflict (deployment_id, day) do update set taken = t.taken + 1 where t.taken < ${limit}
    returning day::text`
  if (!reserved) throw fail('deployment.daily_limit', { limit }, { retryAfter: secondsToMidnight() })
  return {
    async release() {
      await sql`
        update deployment_turns set taken = taken - 1
        where deployment_id = ${id} and day = ${reserved.day}::text::date and taken > 0`
    },
  }
}
