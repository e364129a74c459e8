import { systemStatements } from '#database/system-sql.ts'
import type { TenantTransaction } from '#database/tenant-sql.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { isVisible } from '#platform/access/visible-members.ts'

/**
 * Rejects an address that belongs to a registered account. Throws user.is_member if the inviter may see that the
 * account is a member of the organization, and otherwise user.exists. Visibility depends on the organizations that
 * the inviter and the user share.
 */
export async function refuseKnown(
  tx: TenantTransaction,
  { organizationId, userId }: Scope<'users:write'>,
  email: string,
): Promise<void> {
  const sql = systemStatements(tx)
  const [known] = await sql<{ registered: boolean; member: boolean }[]>`
    select u.registered_at is not null as registered, (m.user_id is not null and ${isVisible(sql, userId)}) is true as member
    from users u left join memberships m
      on m.user_id = u.id and m.organization_id = ${organizationId} and m.status in ('active', 'suspended')
    where u.email = ${email}`
  if (known?.member) throw fail('user.is_member')
  if (known?.registered) throw fail('user.exists')
}
