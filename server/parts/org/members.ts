import type { TenantTransaction } from '#database/tenant-sql.ts'
import { fail } from '#errors'
import { lockOrganization } from '#platform/access/organization-lock.ts'
import { checkLevel, findAssignableRole, isOwner, OWNER_ROLE } from '#platform/access/role-rules.ts'
import type { Actor, Scope } from '#platform/access/scope.ts'
import { recordEvent } from '#platform/audit/audit.ts'
import { readFeatures } from '#platform/limits/features.ts'
import type { Services } from '#platform/services.ts'
import { mailAddition } from './mail-addition.ts'

export type MemberStatus = 'active' | 'invited' | 'suspended' | 'deleted'

interface Member {
  userId: string
  email: string
  status: MemberStatus
  role: { id: string; name: string; level: number }
}

/** Allowed changes from each status. */
const MOVES: Record<MemberStatus, readonly MemberStatus[]> = {
  active: ['suspended', 'deleted'],
  suspended: ['active', 'deleted'],
  invited: ['deleted'],
  deleted: [],
}

/**
 * Makes a user an active member, and emails them a link to leave the organization. Other members see the user's name
 * and address only once the user has opened the organization (visible-members.ts). Throws user.not_found,
 * user.is_member, org.feature_off, and the errors of findAssignableRole.
 */
export async function addMember(
  services: Pick<Services, 'mail' | 'config'>,
  scope: Scope<'users:write'>,
  input: { user_id: string; role_id: string },
): Promise<void> {
  await scope.sql.begin(async (tx) => {
    await lockOrganization(tx, scope.organizationId, 'members')
    const { team_members } = await readFeatures(tx, scope.organizationId)
    if (!team_members) throw fail('org.feature_off', { feature: 'team_members' })
    const role = await findAssignableRole(tx, scope, input.role_id)
    const [user] = await tx`select from users where id = ${input.user_id} and registered_at is not null`
    if (!user) throw fail('user.not_found', { value: input.user_id })
    if (await findMember(tx, scope.organizationId, input.user_id)) throw fail('user.is_member')
    const added = { userId: input.user_id, roleId: role.id, status: 'active', isOpened: false } as const
    await putMember(tx, scope.organizationId, added)
    await mailAddition(services, tx, scope, input.user_id)
    await recordMember(tx, scope, 'member.added', input.user_id, null, { role: role.name, status: 'active' })
  })
}

/**
 * Changes a member's role. Throws user.not_owner, user.not_found, user.not_active,
 * user.same_role, org.last_owner, and the errors of findAssignableRole.
 */
export async function changeRole(scope: Scope<'users:write'>, userId: string, roleId: string): Promise<void> {
  if (!isOwner(scope)) throw fail('user.not_owner')
  await scope.sql.begin(async (tx) => {
    await lockOrganization(tx, scope.organizationId, 'members')
    const member = await findMember(tx, scope.organizationId, userId)
    if (!member) throw fail('user.not_found', { value: userId })
    const role = await findAssignableRole(tx, scope, roleId)
    if (member.status !== 'active') throw fail('user.not_active', { status: member.status })
    if (member.role.id === role.id) throw fail('user.same_role', { role: role.name })
    await keepAnOwner(tx, scope.organizationId, member)
    await tx`
      update memberships set role_id = ${role.id}, updated_at = now()
      where organization_id = ${scope.organizationId} and user_id = ${userId}`
    await recordMember(
      tx,
      scope,
      'member.role_changed',
      userId,
      { role: member.role.name },
      { role: role.name },
    )
  })
}

/**
 * Suspends or reactivates a member, or ends the membership (`deleted`). Keeps the member's resources. Throws
 * user.self, user.not_found, user.status_move, org.last_owner, and the errors of checkLevel.
 */
export async function changeStatus(
  scope: Scope<'users:admin'>,
  userId: string,
  status: 'active' | 'suspended' | 'deleted',
  /** Further work in the same transaction, after the change. */
  then: (tx: TenantTransaction, member: { email: string }) => Promise<void> = async () => {},
): Promise<void> {
  if (userId === scope.userId) throw fail('user.self')
  await scope.sql.begin(async (tx) => {
    await lockOrganization(tx, scope.organizationId, 'members')
    const member = await findMember(tx, scope.organizationId, userId)
    if (!member) throw fail('user.not_found', { value: userId })
    checkLevel(scope, member.role.level)
    if (!MOVES[member.status].includes(status))
      throw fail('user.status_move', { from: member.status, to: status })
    await keepAnOwner(tx, scope.organizationId, member)
    await moveMember(tx, scope, member, status)
    await then(tx, member)
  })
}

/**
 * Ends the actor's own membership in the caller's transaction. Throws org.not_found, org.personal, org.last_owner.
 */
export async function endOwnMembership(
  tx: TenantTransaction,
  actor: Actor,
  organizationId: string,
): Promise<void> {
  const { personalUserId } = await lockOrganization(tx, organizationId, 'members')
  const member = await findMember(tx, organizationId, actor.userId)
  if (member?.status !== 'active') throw fail('org.not_found', { value: organizationId })
  if (personalUserId === actor.userId) throw fail('org.personal')
  await keepAnOwner(tx, organizationId, member)
  await moveMember(tx, { ...actor, organizationId }, member, 'deleted')
}

/**
 * Makes an active member the owner and the caller an admin, in one transaction. Throws org.owner_needed,
 * org.personal, access.session_needed, user.same_role, user.not_found, user.not_active.
 */
export async function transferOwnership(scope: Scope<'organization:admin'>, userId: string): Promise<void> {
  if (!isOwner(scope)) throw fail('org.owner_needed')
  if (scope.apiKeyId !== null) throw fail('access.session_needed')
  if (userId === scope.userId) throw fail('user.same_role', { role: OWNER_ROLE })
  await scope.sql.begin(async (tx) => {
    const { isPersonal } = await lockOrganization(tx, scope.organizationId, 'members')
    if (isPersonal) throw fail('org.personal')
    const [from, to] = [
      await findMember(tx, scope.organizationId, scope.userId),
      await findMember(tx, scope.organizationId, userId),
    ]
    // Checks the role again under the lock, because the scope's role was read before it.
    if (from?.status !== 'active' || from.role.name !== OWNER_ROLE) throw fail('org.owner_needed')
    if (!to) throw fail('user.not_found', { value: userId })
    if (to.status !== 'active') throw fail('user.not_active', { status: to.status })
    await tx`
      update memberships m set role_id = r.id, updated_at = now()
      from roles r
      where m.organization_id = ${scope.organizationId} and r.organization_id = m.organization_id and r.is_system_role
        and (m.user_id, r.name) in ((${userId}::uuid, ${OWNER_ROLE}), (${scope.userId}::uuid, 'admin'))`
    await recordMember(
      tx,
      scope,
      'organization.ownership_transferred',
      userId,
      { role: to.role.name },
      { role: OWNER_ROLE },
    )
  })
}

/** Finds a member with any status except `deleted`. Returns null if there is none. */
async function findMember(
  tx: TenantTransaction,
  organizationId: string,
  userId: string,
): Promise<Member | null> {
  const [row] = await tx<
    { email: string; status: MemberStatus; role_id: string; name: string; level: number }[]
  >`
    select u.email, m.status, m.role_id, r.name, r.hierarchy_level as level
    from memberships m join users u on u.id = m.user_id join roles r on r.id = m.role_id
    where m.organization_id = ${organizationId} and m.user_id = ${userId} and m.status <> 'deleted'`
  if (!row) return null
  const { email, status, role_id: id, name, level } = row
  return { userId, email, status, role: { id, name, level } }
}

/**
 * Inserts a membership, or updates an existing one whose status is `deleted` or `invited`. Leaves other memberships
 * unchanged.
 */
export async function putMember(
  tx: TenantTransaction,
  organizationId: string,
  {
    userId,
    roleId,
    status,
    isOpened,
  }: { userId: string; roleId: string; status: 'active' | 'invited'; isOpened: boolean },
): Promise<void> {
  await tx`
    insert into memberships as m (organization_id, user_id, role_id, status, opened_at)
    values (${organizationId}, ${userId}, ${roleId}, ${status}, case when ${isOpened} then now() end)
    on conflict (organization_id, user_id) do update
      set role_id = excluded.role_id, status = excluded.status, updated_at = now(),
        opened_at = coalesce(m.opened_at, excluded.opened_at)
      where m.status in ('deleted', 'invited')`
}

/** Throws org.last_owner if `member` is the only active owner. */
async function keepAnOwner(tx: TenantTransaction, organizationId: string, member: Member): Promise<void> {
  if (member.role.name !== OWNER_ROLE || member.status !== 'active') return
  const [other] = await tx`
    select from memberships m join roles r on r.id = m.role_id
    where m.organization_id = ${organizationId} and m.status = 'active' and r.name = ${OWNER_ROLE}
      and m.user_id <> ${member.userId} limit 1`
  if (!other) throw fail('org.last_owner')
}

/**
 * Changes the status of a membership. For `deleted`, also deletes the member's API keys, which would otherwise work
 * again if the user rejoined.
 */
async function moveMember(
  tx: TenantTransaction,
  actor: Actor & { organizationId: string },
  member: Member,
  status: MemberStatus,
): Promise<void> {
  const { organizationId } = actor
  const { userId } = member
  await tx`
    update memberships set status = ${status}, updated_at = now(),
      role_id = case when ${status === 'deleted'} then null else role_id end
    where organization_id = ${organizationId} and user_id = ${userId}`
  if (status === 'deleted')
    await tx`delete from api_keys where organization_id = ${organizationId} and user_id = ${userId}`
  await recordMember(tx, actor, 'member.status_changed', userId, { status: member.status }, { status })
}

type State = { role?: string; status?: string } | null

const recordMember = (
  tx: TenantTransaction,
  actor: Actor & { organizationId: string },
  action: `${string}.${string}`,
  userId: string,
  before: State,
  after: State,
): Promise<void> => recordEvent(tx, actor.organizationId, actor, { action, recordId: userId, before, after })
