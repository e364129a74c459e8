import type { ISql } from 'postgres'
import type { Actor } from '#platform/access/scope.ts'
import { recordEvents } from '#platform/audit/audit.ts'

/** Why people have to connect again. */
export const MOVED = 'The address of this server has changed. Please connect your account again.'
export const OTHER_WAY = 'The way to connect to this server has changed. Please connect your account again.'

/**
 * Ends the connections of people to servers that are elsewhere now, or are connected to in another way: what an account
 * was connected for is not told to another address. Attempts under way end, and what was registered there is forgotten.
 * Each person's audit tells it where somebody has done it. Answers the ids of the connections.
 */
export async function retireConnections(
  tx: ISql,
  serverIds: readonly string[],
  reason: string,
  actor: Actor | null,
): Promise<string[]> {
  await tx`
    delete from mcp_attempts a using mcp_instances i
    where i.id = a.instance_id and i.server_id = any(${serverIds as string[]})`
  await tx`delete from mcp_clients where server_id = any(${serverIds as string[]})`
  const retired = await tx<{ id: string; organizationId: string }[]>`
    update mcp_instances set status = 'inactive', error = ${reason}, updated_at = now()
    where server_id = any(${serverIds as string[]}) and status = 'active'
    returning id, organization_id as "organizationId"`
  if (actor)
    await recordEvents(
      tx,
      actor,
      retired.map(({ id, organizationId }) => ({
        organizationId,
        event: {
          action: 'mcp_instance.updated',
          recordId: id,
          before: { status: 'active', error: null },
          after: { status: 'inactive', error: reason },
        },
      })),
    )
  return retired.map(({ id }) => id)
}
