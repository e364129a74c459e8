import { systemStatements } from '#database/system-sql.ts'
import type { TenantTransaction } from '#database/tenant-sql.ts'
import type { Scope } from '#platform/access/scope.ts'
import { isVisible } from '#platform/access/visible-members.ts'

const NAMED_MAX = 5

/**
 * Returns names of up to NAMED_MAX members with a role. A name is the email address, or the user's id if the caller
 * may not see the address. Visibility depends on all organizations that the caller and the member share.
 */
export async function nameMembers(
  tx: TenantTransaction,
  scope: Scope<'roles:delete'>,
  roleId: string,
): Promise<string[]> {
  const sql = systemStatements(tx)
  const members = await sql<{ name: string }[]>`
    select case when ${isVisible(sql, scope.userId)} then u.email else u.id::text end as name
    from memberships m join users u on u.id = m.user_id
    where m.organization_id = ${scope.organizationId} and m.role_id = ${roleId}
    order by name limit ${NAMED_MAX}`
  return members.map(({ name }) => name)
}
