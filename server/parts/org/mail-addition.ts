import type { Language } from '@parley/messages/languages'
import type { TenantTransaction } from '#database/tenant-sql.ts'
import type { Scope } from '#platform/access/scope.ts'
import { hashToken, newToken } from '#platform/secrets/secrets.ts'
import type { Services } from '#platform/services.ts'

const LINK_DAYS = 30
/**
 * Maximum number of valid links per user and organization. Adding a user repeatedly sends no more emails than that.
 */
const LINKS_MAX = 5

/** Emails a newly added user a link to leave the organization. */
export async function mailAddition(
  { mail, config }: Pick<Services, 'mail' | 'config'>,
  tx: TenantTransaction,
  { organizationId, userId: adderId }: Scope<'users:write'>,
  userId: string,
): Promise<void> {
  const token = newToken('ot')
  const made = await tx`
    insert into one_time_tokens (token_hash, purpose, user_id, organization_id, expires_at)
    select ${hashToken(token)}, 'leave_organization', ${userId}, ${organizationId},
      now() + ${LINK_DAYS} * interval '1 day'
    where (select count(*) from one_time_tokens where user_id = ${userId} and organization_id = ${organizationId}
      and purpose = 'leave_organization' and expires_at > now()) < ${LINKS_MAX}`
  if (made.count === 0) return
  const [names] = await tx<
    { email: string; adder: string; organization: string; language: Language | null }[]
  >`
    select u.email, trim(a.first_name || ' ' || a.last_name) as adder, o.name as organization, a.language
    from users u, users a, organizations o
    where u.id = ${userId} and a.id = ${adderId} and o.id = ${organizationId}`
  if (!names) return
  const { email, adder, organization, language } = names
  const link = `${config.frontendUrl}/leave?token=${token}`
  await mail.send(
    tx,
    email,
    { kind: 'added to organization', adder, organization, link },
    { about: [organizationId, adderId], language },
  )
}
