import { type SystemTransaction, systemSql } from '#database/system-sql.ts'
import { fail } from '#errors'
import { forgetAttempts, slowDownAttempt } from '#platform/access/attempts.ts'
import { OWNER_ROLE } from '#platform/access/role-rules.ts'
import type { Caller } from '#platform/access/scope.ts'
import { recordEvents } from '#platform/audit/audit.ts'
import { leavingAddress } from '#platform/mail/address.ts'
import type { Services } from '#platform/services.ts'
import { closeOrganization, lockAccounts } from './close-organization-system.ts'
import type { DepartureRecord } from './erase-user-system.ts'

/** Maximum age of the sign-in that confirms the deletion for users without a password. */
const SIGN_IN_MINUTES = 10

interface Membership {
  organizationId: string
  name: string
  status: string
  isOnlyOwner: boolean
  /** Number of other active or suspended members. */
  others: number
}

/**
 * Closes a user's account and the organizations that only this user owns. Once the transaction commits, the user has
 * no sessions and no memberships, and their email address is free. Their rows are erased afterwards
 * (erase-user-system.ts).
 *
 * Throws user.wrong_password, user.sign_in_again, auth.too_many_attempts, user.last_administrator, and
 * user.owns_organizations if such an organization has other members.
 */
export async function closeAccount(
  services: Pick<Services, 'database' | 'jobs' | 'mail' | 'passwords' | 'secrets'>,
  caller: Caller,
  password: string | undefined,
): Promise<void> {
  const { jobs, mail, secrets } = services
  const sql = systemSql(services.database)
  const { userId } = caller
  const email = await confirmPerson(services, caller, password)
  await sql.begin(async (tx) => {
    await lockPerson(tx, userId)
    const memberships = await lockOrganizations(tx, userId)
    const blocking = memberships.filter(({ isOnlyOwner, others }) => isOnlyOwner && others > 0)
    if (blocking.length > 0)
      throw fail('user.owns_organizations', { organizations: blocking.map(({ name }) => name).join(', ') })
    const closed = memberships
      .filter(({ isOnlyOwner }) => isOnlyOwner)
      .map(({ organizationId }) => organizationId)
    for (const id of closed) await closeOrganization(tx, jobs, id)
    await leaveAll(tx, caller)
    const invited = await tx<{ organizationId: string }[]>`
      delete from invitations where email = ${email} returning organization_id as "organizationId"`
    const known = await tx<{ organizationId: string }[]>`
      select organization_id as "organizationId" from memberships where user_id = ${userId}`
    const organizations = new Set([...invited, ...known].map(({ organizationId }) => organizationId))
    const others = [...organizations].filter((id) => !closed.includes(id))
    const leaving: DepartureRecord = { email, closed, organizations: others }
    await jobs.forget(tx, [userId, ...mail.hmacsOf(email)])
    await closeUser(tx, userId, secrets.encrypt(JSON.stringify(leaving), userId))
  })
}

/**
 * Confirms the user's identity by password or recent sign-in. Returns the user's email address. Throws
 * user.wrong_password, user.sign_in_again, auth.too_many_attempts.
 */
async function confirmPerson(
  { database, passwords }: Pick<Services, 'database' | 'passwords'>,
  caller: Caller,
  password: string | undefined,
): Promise<string> {
  const sql = systemSql(database)
  const [user] = await sql<{ email: string; hash: string | null; isRecent: boolean }[]>`
    select u.email, u.password_hash as hash,
      s.created_at > now() - ${SIGN_IN_MINUTES} * interval '1 minute' as "isRecent"
    from users u join sessions s on s.user_id = u.id and s.id = ${caller.sessionId} where u.id = ${caller.userId}`
  if (!user) throw fail('auth.invalid_token')
  const attempt = { email: user.email, address: caller.client.address }
  if (user.hash === null) {
    if (!user.isRecent) throw fail('user.sign_in_again', { minutes: SIGN_IN_MINUTES })
  } else {
    await slowDownAttempt(sql, attempt)
    if (!(await passwords.verify(password ?? '', user.hash))) throw fail('user.wrong_password')
  }
  await forgetAttempts(sql, attempt)
  return user.email
}

/**
 * Locks the user's organizations, so that their memberships cannot change until the transaction ends. Returns the
 * user's memberships.
 */
async function lockOrganizations(tx: SystemTransaction, userId: string): Promise<Membership[]> {
  const ids = tx`
    select organization_id from memberships where user_id = ${userId} and status <> 'deleted'`
  await lockAccounts(tx, ids)
  await tx`select from organizations where closed_at is null and id in (${ids}) order by id for update`
  return tx<Membership[]>`
    select o.id as "organizationId", o.name, m.status,
      coalesce(m.status = 'active' and r.name = ${OWNER_ROLE}, false) and not exists (
        select from memberships other join roles on roles.id = other.role_id
        where other.organization_id = o.id and other.user_id <> m.user_id and other.status = 'active'
          and roles.name = ${OWNER_ROLE}) as "isOnlyOwner",
      (select count(*)::int from memberships other where other.organization_id = o.id
        and other.user_id <> m.user_id and other.status in ('active', 'suspended')) as others
    from memberships m join organizations o on o.id = m.organization_id left join roles r on r.id = m.role_id
    where m.user_id = ${userId} and m.status <> 'deleted' and o.closed_at is null order by o.id`
}

/**
 * Locks the user and all administrators. The lock keeps the user from creating an organization, which would have no
 * owner (org/organizations-system.ts). If two administrators leave concurrently, the second transaction waits and then
 * sees that the first administrator has left. Throws user.last_administrator.
 */
async function lockPerson(tx: SystemTransaction, userId: string): Promise<void> {
  const locked = await tx<{ id: string; isAdministrator: boolean }[]>`
    select id, is_system_admin as "isAdministrator" from users
    where id = ${userId} or is_system_admin order by id for no key update`
  const administrators = locked.filter(({ isAdministrator }) => isAdministrator)
  if (administrators.length === 1 && administrators[0]?.id === userId) throw fail('user.last_administrator')
}

/** Ends the user's remaining memberships, and records this in the organizations' audit logs. */
async function leaveAll(tx: SystemTransaction, caller: Caller): Promise<void> {
  const { userId } = caller
  const left = await tx<{ organizationId: string; status: string }[]>`
    update memberships m set status = 'deleted', role_id = null, updated_at = now()
    from memberships before
    where m.user_id = ${userId} and m.status <> 'deleted'
      and before.organization_id = m.organization_id and before.user_id = m.user_id
    returning m.organization_id as "organizationId", before.status`
  await recordEvents(
    tx,
    caller,
    left.map(({ organizationId, status }) => ({
      organizationId,
      event: {
        action: 'member.status_changed',
        recordId: userId,
        before: { status },
        after: { status: 'deleted' },
      },
    })),
  )
}

/**
 * Clears all fields of the user and deletes their credentials. The row and its id remain until the data is erased.
 */
async function closeUser(tx: SystemTransaction, userId: string, leaving: string): Promise<void> {
  await tx`delete from api_keys where user_id = ${userId}`
  await tx`delete from sessions where user_id = ${userId}`
  await tx`delete from oidc_identities where user_id = ${userId}`
  await tx`delete from one_time_tokens where user_id = ${userId}`
  for (const table of ['totp_factors', 'passkeys', 'recovery_codes', 'auth_challenges'] as const)
    await tx`delete from ${tx(table)} where user_id = ${userId}`
  await tx`delete from idempotent_requests where user_id = ${userId}`
  await tx`
    update users set leaving = ${leaving}, email = ${leavingAddress(userId)}, first_name = '', last_name = '',
      password_hash = null, is_system_admin = false, registered_at = null, email_verified_at = null, updated_at = now()
    where id = ${userId}`
}
