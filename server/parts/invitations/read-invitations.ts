import { olderThan } from '#database/keyset.ts'
import type { FragmentSql, TenantStatements } from '#database/tenant-sql.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import type { InvitationStatus, InvitationView } from './schemas.ts'

/** Returns the organization's invitations, newest first. */
export const listInvitations = (
  scope: Scope<'users:write'>,
  query: { status?: InvitationStatus; limit?: number; cursor?: string },
): Promise<Page<InvitationView>> =>
  readPage(
    query,
    (below, count) => scope.sql<InvitationView[]>`
      ${selectInvitations(scope.sql)} where i.organization_id = ${scope.organizationId}
        and ${olderThan(scope.sql, 'i.id', below)}
        and (${query.status ?? null}::text is null or ${statusNow(scope.sql)} = ${query.status ?? null})
      order by i.id desc limit ${count}`,
    view,
  )

/** Returns an invitation. Throws invitation.not_found. */
export async function readInvitation(
  sql: TenantStatements,
  organizationId: string,
  id: string,
): Promise<InvitationView> {
  const [row] = await sql<InvitationView[]>`
    ${selectInvitations(sql)} where i.id = ${id} and i.organization_id = ${organizationId}`
  if (!row) throw fail('invitation.not_found', { value: id })
  return view(row)
}

/**
 * Returns SQL for an invitation's current status. A pending invitation past its expiry is `expired`, although its row
 * isn't updated.
 */
export const statusNow = (sql: FragmentSql) =>
  sql`case when i.status = 'pending' and i.expires_at <= now() then 'expired' else i.status end`

export const selectInvitations = (sql: FragmentSql) => sql`
  select i.id, i.email, ${statusNow(sql)} as status, i.message, i.invited_by as created_by, i.created_at,
    i.expires_at, json_build_object('id', o.id, 'name', o.name) as organization,
    case when r.id is not null then
      json_build_object('id', r.id, 'name', r.name, 'hierarchy_level', r.hierarchy_level) end as role
  from invitations i join organizations o on o.id = i.organization_id
  left join roles r on r.id = i.role_id and r.organization_id = i.organization_id`

export const view = (row: InvitationView): InvitationView => ({
  ...row,
  created_at: new Date(row.created_at).toISOString(),
  expires_at: new Date(row.expires_at).toISOString(),
})
