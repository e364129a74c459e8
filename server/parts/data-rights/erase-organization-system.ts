import { systemSql } from '#database/system-sql.ts'
import type { Services } from '#platform/services.ts'
import type { Mcp } from '../mcp/index.ts'
import type { PlaygroundMemory } from '../mcp-playground/index.ts'
import {
  type DeletionDependencies,
  deleteChats,
  deleteRecords,
  deleteResponses,
  deleteUploads,
  emptyKnowledgeBases,
  stopCalls,
} from './delete-rows-system.ts'

export interface ErasureDependencies
  extends DeletionDependencies,
    Pick<Services, 'events' | 'jobs' | 'mail' | 'secrets'> {
  mcp: Pick<Mcp, 'endAllAccess'>
  memory: PlaygroundMemory
}

/**
 * Erases all rows of a closed organization in batches, and finally the organization's own row. An interrupted erasure
 * can be started again.
 */
export async function eraseOrganization(deps: ErasureDependencies, organizationId: string): Promise<void> {
  const { mcp, events, jobs, memory, mail } = deps
  const sql = systemSql(deps.database)
  const owner = { organizationId }
  await stopCalls(sql, sql`organization_id = ${organizationId}`)
  await mcp.endAllAccess(owner)
  await deleteChats(deps, owner)
  await emptyKnowledgeBases(deps, owner)
  await deleteUploads(deps, owner)
  await deleteResponses(deps, owner)
  await deleteRecords(deps, organizationId)
  const members = await sql<{ userId: string }[]>`
    select user_id as "userId" from memberships where organization_id = ${organizationId}`
  for (const { userId } of members) await memory.clear({ organizationId, userId })
  await events.forget(organizationId)
  await mail.deleteSaved([organizationId])
  await sql.begin(async (tx) => {
    await jobs.forget(tx, [organizationId])
    await tx`delete from organizations where id = ${organizationId} and closed_at is not null`
    // Also deletes users who were only invited by this organization and never registered (users/invite-user.ts).
    await tx`
      delete from users u
      where id = any(${members.map(({ userId }) => userId)}::uuid[]) and registered_at is null and leaving is null
        and not exists (select from memberships m where m.user_id = u.id)`
  })
}
