import { newId } from '#database/new-id.ts'
import { lockOrganization } from '#platform/access/organization-lock.ts'
import type { Scope } from '#platform/access/scope.ts'
import { normalizeEmail } from '#platform/mail/address.ts'
import type { Services } from '#platform/services.ts'
import { checkInviter, insertInvitation, refuseSecond } from '../invitations/index.ts'
import { putMember } from '../org/index.ts'
import { fullName } from './read-users-system.ts'
import type { InvitedUser, NewInvitee } from './schemas.ts'

/**
 * Creates an unregistered account, invites it into the organization, and emails a sign-in link. Throws user.exists,
 * user.is_member, invitation.exists, and the errors of findAssignableRole.
 */
export async function inviteUser(
  services: Services,
  scope: Scope<'users:write'>,
  input: NewInvitee,
): Promise<InvitedUser> {
  checkInviter(scope)
  const email = normalizeEmail(input.email)
  return scope.sql
    .begin(async (tx) => {
      await lockOrganization(tx, scope.organizationId, 'members')
      const { organization, role, email_sent } = await insertInvitation(services, tx, scope, {
        email,
        role_id: input.role,
        byMagicLink: true,
      })
      const [user] = await tx<Pick<InvitedUser, 'id' | 'first_name' | 'last_name'>[]>`
        insert into users as u (id, email, first_name, last_name)
        values (${newId()}, ${email}, ${input.first_name.trim()}, ${input.last_name.trim()})
        on conflict (email) do update set updated_at = now()
        returning id, first_name, last_name`
      if (!user || !role) throw new Error('the invited user was not stored')
      const invited = { userId: user.id, roleId: role.id, status: 'invited', isOpened: false } as const
      await putMember(tx, scope.organizationId, invited)
      const [names] = await tx<{ slug: string }[]>`
        select slug from organizations where id = ${scope.organizationId}`
      return {
        ...user,
        email,
        full_name: fullName(user),
        email_sent,
        organizations: [{ ...organization, slug: names?.slug ?? '', role_id: role.id, role_name: role.name }],
      }
    })
    .catch(refuseSecond)
}
