import { systemStatements } from '#database/system-sql.ts'
import type { TenantTransaction } from '#database/tenant-sql.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { isVisible } from '#platform/access/visible-members.ts'

/**
 * Refuses an address that has an account. Whether the inviter may learn that it is a member's depends on the
 * organizations that both share. Throws user.is_member, user.exists.
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
