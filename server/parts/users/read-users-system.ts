import type { Database } from '#database/connect.ts'
import { patternHolding } from '#database/like.ts'
import { type SystemStatements, systemSql } from '#database/system-sql.ts'
import { fail } from '#errors'
import type { Caller, Scope } from '#platform/access/scope.ts'
import { isVisible, sharesOrganization } from '#platform/access/visible-members.ts'
import { normalizeEmail } from '#platform/mail/address.ts'
import type { FoundUser, ListedUser, ListQuery, MemberView, UserList, UserView } from './schemas.ts'

/*
 * The functions below read across tenants, because whether a user may see another user's name and address depends on
 * all organizations that they share.
 */

const LIMIT_DEFAULT = 10

/**
 * Returns a user with the organizations in which they are an active member. With `onlyOrganizationId`,
 * lists no other organization. Throws auth.invalid_token if the user no longer exists.
 */
export async function readUser(
  sql: SystemStatements,
  userId: string,
  onlyOrganizationId: string | null = null,
): Promise<UserView> {
  const [user] = await sql<Omit<UserView, 'full_name'>[]>`
    select u.id, u.email, u.first_name, u.last_name, u.language, u.email_verified_at is not null as email_verified,
      u.is_system_admin, u.created_at,
      coalesce(json_agg(json_build_object('id', o.id, 'name', o.name, 'slug', o.slug, 'role_id', r.id,
        'role_name', r.name) order by o.id) filter (where r.id is not null), '[]') as organizations
    from users u
    left join memberships m on m.user_id = u.id and m.status = 'active'
      and m.organization_id = coalesce(${onlyOrganizationId}::uuid, m.organization_id)
    left join organizations o on o.id = m.organization_id
    left join roles r on r.id = m.role_id
    where u.id = ${userId} group by u.id`
  if (!user) throw fail('auth.invalid_token')
  return { ...user, full_name: fullName(user), created_at: new Date(user.created_at).toISOString() }
}

/** Returns the caller with the organizations that their session or API key may access. */
export const readMe = (database: Database, caller: Caller): Promise<UserView> =>
  readUser(systemSql(database), caller.userId, caller.onlyOrganizationId)

/** Returns a member in the form of /api/users/update and similar routes. Throws user.not_found. */
export async function readMember(
  database: Database,
  { organizationId, userId: callerId }: Pick<Scope<'users:read'>, 'organizationId' | 'userId'>,
  userId: string,
): Promise<MemberView> {
  const sql = systemSql(database)
  const [row] = await sql<Omit<MemberView, 'full_name' | 'invite_id'>[]>`
    select u.id, ${userColumns(sql, callerId)}, u.created_at, m.status,
      json_build_object('id', r.id, 'name', r.name, 'hierarchy_level', r.hierarchy_level) as role,
      (select max(s.last_used_at) from sessions s
        where s.user_id = u.id and ${isVisible(sql, callerId)}) as last_active_at,
      (select max(i.created_at) from invitations i
        where i.organization_id = m.organization_id and i.email = u.email and i.status = 'accepted') as invited_at
    from memberships m join users u on u.id = m.user_id join roles r on r.id = m.role_id
    where m.organization_id = ${organizationId} and m.user_id = ${userId}`
  if (!row) throw fail('user.not_found', { value: userId })
  return {
    ...row,
    full_name: fullName(row),
    invite_id: null as never,
    invited_at: timeOf(row.invited_at),
    last_active_at: timeOf(row.last_active_at),
    created_at: new Date(row.created_at).toISOString(),
  }
}

/**
 * Returns one page of members, followed by pending and expired invitations. Members are sorted by date of joining,
 * and invitations by date. An account that was created by an invitation appears once, as invited.
 */
export async function listUsers(
  database: Database,
  scope: Scope<'users:read'>,
  query: ListQuery,
): Promise<UserList> {
  const sql = systemSql(database)
  const limit = query.limit ?? LIMIT_DEFAULT
  const offset = (query.offset ?? 0) * limit
  const pattern = patternHolding(query.q)
  const listed = sql`
    from (
      select 1 as rank, m.created_at as since, u.id as key, u.id, ${userColumns(sql, scope.userId)},
        m.status, m.role_id, null::uuid as invite_id, null::timestamptz as invited_at
      from memberships m join users u on u.id = m.user_id
      where m.organization_id = ${scope.organizationId} and m.status in ('active', 'suspended')
      union all
      select 2, i.created_at, i.id, null, i.email, coalesce(u.first_name, ''), coalesce(u.last_name, ''),
        case when i.status = 'expired' or i.expires_at <= now() then 'expired' else 'pending' end, i.role_id, i.id,
        i.created_at
      from invitations i left join users u on u.email = i.email and i.by_magic_link
      where i.organization_id = ${scope.organizationId} and i.status in ('pending', 'expired')
    ) as l
    where ${query.status ? sql`l.status = ${query.status}` : sql`l.status <> 'suspended'`}
      and (${pattern}::text is null or l.email ilike ${pattern}
        or (l.first_name || ' ' || l.last_name) ilike ${pattern})`
  const [counted] = await sql<{ total: number }[]>`select count(*)::int as total ${listed}`
  const users = await sql<Omit<ListedUser, 'full_name'>[]>`
    select l.id, l.email, l.first_name, l.last_name, l.status, l.invite_id,
      coalesce(l.invited_at, (
        select max(i.created_at) from invitations i join users u on u.email = i.email
        where i.organization_id = ${scope.organizationId} and i.status = 'accepted' and u.id = l.id)) as invited_at,
      (select json_build_object('id', r.id, 'name', r.name, 'hierarchy_level', r.hierarchy_level)
        from roles r where r.id = l.role_id) as role
    ${listed} order by l.rank, l.since, l.key limit ${limit} offset ${offset}`
  return { total: counted?.total ?? 0, users: users.map(viewListed) }
}

/** Finds the user with an email address, if they share an organization with the caller. Throws user.not_found. */
export async function findUser(
  database: Database,
  scope: Scope<'users:write'>,
  email: string,
): Promise<FoundUser> {
  const sql = systemSql(database)
  const [user] = await sql<Omit<FoundUser, 'full_name'>[]>`
    select u.id, u.email, u.first_name, u.last_name from users u
    where u.email = ${normalizeEmail(email)} and u.registered_at is not null
      and ${sharesOrganization(sql, scope.userId, sql`u.id`)}`
  if (!user) throw fail('user.not_found', { value: email })
  return { ...user, full_name: fullName(user) }
}

/**
 * Returns SQL for the address and names of a user `u` with membership `m`. The values are empty if the caller may not
 * see them.
 */
const userColumns = (sql: SystemStatements, callerId: string) => sql`
  case when ${isVisible(sql, callerId)} then u.email else '' end as email,
  case when ${isVisible(sql, callerId)} then u.first_name else '' end as first_name,
  case when ${isVisible(sql, callerId)} then u.last_name else '' end as last_name`

const viewListed = (row: Omit<ListedUser, 'full_name'>): ListedUser => ({
  ...row,
  full_name: fullName(row),
  invited_at: timeOf(row.invited_at),
})

const timeOf = (value: string | null): string | null =>
  value === null ? null : new Date(value).toISOString()

export const fullName = ({ first_name, last_name }: { first_name: string; last_name: string }): string =>
  `${first_name} ${last_name}`.trim()
