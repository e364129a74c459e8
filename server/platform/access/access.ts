import type { Sql } from 'postgres'
import type { OpenDatabase } from '#database/connect.ts'
import { grouped } from '#database/grouped.ts'
import { fail, type LookupErrorCode } from '#errors'
import type { OwnedTable, OwnedTables } from '#platform/tables/owned-tables.ts'
import { setOrganization, setUser } from '#platform/telemetry/running.ts'
import {
  type Credential,
  isStrongEnough,
  liveKey,
  liveSession,
  type PersonalCredential,
} from './credentials.ts'
import { createDeploymentAccess } from './deployments.ts'
import { idIn, locateOrganization, type OrganizationKind } from './organization-of-request.ts'
import { covers, type Permission } from './permissions.ts'
import { permissionsOf } from './role-rules.ts'
import type { Caller, Client, OpenDeployment, OrganizationSource, ResourceKind, Scope } from './scope.ts'
import { type ScopeSource, scopeDatabase } from './scoped-database.ts'
import { isSuspended, refuseSuspended, type Suspendable } from './suspension.ts'

/** The parts of a request that determine the caller's access. */
export interface AccessRequest {
  credential: Credential
  client: Client
  query: Record<string, unknown>
  body: unknown
  /** False if a suspended organization refuses the request. */
  allowedWhileSuspended: boolean
}

/** A request authenticated with a user's session or API key. */
type PersonalRequest = AccessRequest & { credential: PersonalCredential }

/**
 * Finds the caller of a request and the caller's permissions. One query per request reads the session or key, the
 * membership, the role and the permissions. Changes to them therefore apply to the next request in every process.
 */
export interface AccessDependencies {
  openCaller(request: Pick<AccessRequest, 'credential' | 'client'>): Promise<Caller>
  /**
   * Returns the caller's scope in the request's organization.
   *
   * Errors:
   * - 404: the caller is not an active member, or `org_id` in the query names another organization. An unknown id
   * gets the same error.
   * - access.second_factor_required
   * - access.organization_suspended: the organization is suspended, and refuses the request.
   * - access.missing_permission: the caller does not hold the permission P.
   */
  openScope<P extends Permission>(
    access: { permission: P; orgOf: OrganizationSource },
    request: AccessRequest,
  ): Promise<Scope<P>>
  /**
   * Returns a scope for each organization where the caller holds the permission, and apart from these a scope for each
   * other organization of the caller. Omits suspended organizations that refuse the request. If all refuse it, throws
   * access.organization_suspended.
   *
   * With `organizationId`, returns only that organization's scope. In this case, throws org.not_found if the caller
   * is not an active member, and access.missing_permission if the caller does not hold the permission.
   */
  openScopes<P extends Permission>(
    permission: P,
    request: Pick<AccessRequest, 'credential' | 'client' | 'allowedWhileSuspended'>,
    organizationId?: string | null,
  ): Promise<{ scopes: Scope<P>[]; lacking: Scope<never>[] }>
  /**
   * Opens the deployment that the credential belongs to. Throws access.no_deployment for a user's session or API key.
   */
  openDeployment(request: Pick<AccessRequest, 'credential' | 'client'>): Promise<OpenDeployment>
}

/** Maximum number of requests whose access is looked up in one statement. */
const GROUP_MAX = 100

export function createAccess(database: OpenDatabase, tables: OwnedTables): AccessDependencies {
  const resources = resourcesOf(tables)
  const lookups = createLookups(database.sql, resources)
  const source = { database, tables }
  const openByCredential = createDeploymentAccess(source)
  const notFoundOf = (kind: LookupKind): LookupErrorCode =>
    resources.get(kind as ResourceKind)?.notFound ?? 'org.not_found'

  /** Throws access.only_deployment for a deployment's credential, which gives access only to that deployment. */
  async function asPerson<R extends Pick<AccessRequest, 'credential' | 'client'>>(
    request: R,
  ): Promise<R & { credential: PersonalCredential }> {
    const { credential, client } = request
    if (isPersonal(credential)) return { ...request, credential }
    await openByCredential(credential, client)
    throw fail('access.only_deployment')
  }

  const openCaller: AccessDependencies['openCaller'] = async (request) => {
    const { credential, client } = await asPerson(request)
    const found = await lookups[credential.kind].nothing({ credential, target: null, named: null })
    const caller = callerOf(found, { credential, client })
    await client.admit?.(caller.userId)
    return caller
  }

  return {
    openCaller,
    async openDeployment({ credential, client }) {
      if (!isPersonal(credential)) return openByCredential(credential, client)
      await openCaller({ credential, client })
      throw fail('access.no_deployment')
    },
    async openScope({ permission, orgOf }, anyRequest) {
      const request = await asPerson(anyRequest)
      const { kind, target } = locateOrganization(orgOf, request)
      const notFound = notFoundOf(kind)
      const named = idIn(request.query, 'org_id')
      const found = await lookups[request.credential.kind][kind]({
        credential: request.credential,
        target,
        named,
      })
      const caller = callerOf(found, request)
      await caller.client.admit?.(caller.userId)
      if (!isMember(found) || (named !== null && named !== found.organization_id))
        throw fail(notFound, target === null ? { field: 'org_id', value: named ?? '' } : { value: target })
      if (found.lacks_second_factor) throw fail('access.second_factor_required')
      if (!request.allowedWhileSuspended) refuseSuspended(found)
      if (found.unopened) await noteOpening(database.sql, found)
      setOrganization(found.organization_id)
      const scope = scopeOf<Permission>(source, caller, found)
      if (!scope.holds(permission)) throw fail('access.missing_permission', { permission })
      return scope as never
    },
    async openScopes(permission, request, organizationId = null) {
      const caller = await openCaller(request)
      const { sql } = database
      const memberships = await sql<Membership[]>`
        select ${membershipColumns(sql)}, k.permissions as key_permissions
        from memberships m join roles r on r.id = m.role_id join organizations o on o.id = m.organization_id
        left join api_keys k on k.id = ${caller.apiKeyId}
        left join sessions s on s.id = ${caller.sessionId}
        where m.user_id = ${caller.userId} and m.status = 'active' and (k.id is not null or ${isStrongEnough(sql)})
          and m.organization_id = coalesce(k.organization_id, m.organization_id)
          and m.organization_id = coalesce(${organizationId}::uuid, m.organization_id)`
      const usable = memberships.filter((each) => request.allowedWhileSuspended || !isSuspended(each))
      if (usable.length === 0) memberships.forEach(refuseSuspended)
      const scopes = usable.map((membership) => scopeOf<Permission>(source, caller, membership))
      if (scopes.length === 1) setOrganization((scopes[0] as Scope<never>).organizationId)
      const held = scopes.filter((scope) => scope.holds(permission))
      if (organizationId !== null && scopes.length === 0)
        throw fail('org.not_found', { value: organizationId })
      if (organizationId !== null && held.length === 0)
        throw fail('access.missing_permission', { permission })
      return { scopes: held as never[], lacking: scopes.filter((scope) => !held.includes(scope)) as never[] }
    },
  }
}

const isPersonal = (credential: Credential): credential is PersonalCredential =>
  credential.kind === 'session' || credential.kind === 'api key'

/**
 * Records a member's first request to an organization that another user added them to. From then on, other members
 * see the member's name.
 */
async function noteOpening(
  sql: Sql,
  { organization_id, user_id }: Pick<Identity & Membership, 'organization_id' | 'user_id'>,
): Promise<void> {
  await sql`
    update memberships set opened_at = now()
    where organization_id = ${organization_id} and user_id = ${user_id} and opened_at is null`
}

type Resource = NonNullable<OwnedTable['resource']> & { table: string }

/**
 * Returns the tables whose records determine a request's organization, by resource kind. Throws if two tables declare
 * the same kind.
 */
function resourcesOf(tables: OwnedTables): ReadonlyMap<ResourceKind, Resource> {
  const resources = new Map<ResourceKind, Resource>()
  for (const [table, { resource }] of Object.entries(tables)) {
    if (!resource) continue
    if (resources.has(resource.kind))
      throw new Error(`two tables declare records of the kind ${resource.kind}`)
    resources.set(resource.kind, { ...resource, table })
  }
  return resources
}

/** The caller, as found by a lookup. */
interface Identity {
  user_id: string
  is_system_admin: boolean
  key_id: string | null
  key_organization_id: string | null
  /** Permissions of the API key. Null for a session, which has all permissions of the member's role. */
  key_permissions: string[] | null
}

/** The caller's membership in one organization. */
interface Membership extends Suspendable {
  organization_id: string
  role_id: string
  role_name: string
  role_level: number
  permissions: string[]
  key_permissions: string[] | null
  /** True if another user added the member, and the member has not yet sent a request to the organization. */
  unopened: boolean
}

type FoundIdentity = Identity & { [K in keyof Membership]: Membership[K] | null } & {
  /** True if the organization requires a second factor that the session has not provided. */
  lacks_second_factor: boolean | null
}

const isMember = (found: FoundIdentity | null): found is FoundIdentity & Membership =>
  found?.organization_id != null

function callerOf(
  found: Identity | null,
  { credential, client }: Pick<PersonalRequest, 'credential' | 'client'>,
): Caller {
  if (!found || (credential.kind === 'session' && found.user_id !== credential.userId))
    throw fail(credential.kind === 'session' ? 'auth.invalid_token' : 'auth.invalid_key')
  setUser(found.user_id)
  return {
    userId: found.user_id,
    sessionId: credential.kind === 'session' ? credential.sessionId : null,
    apiKeyId: found.key_id,
    isSystemAdmin: found.is_system_admin,
    onlyOrganizationId: found.key_organization_id,
    client,
  }
}

function scopeOf<P extends Permission>(
  source: ScopeSource,
  caller: Caller,
  membership: Membership,
): Scope<P> {
  const { userId, sessionId, apiKeyId, client } = caller
  const { organization_id: organizationId, permissions, key_permissions: ofKey } = membership
  const owner = { organizationId, userId, apiKeyId, client }
  return {
    ...owner,
    sessionId,
    role: { id: membership.role_id, name: membership.role_name, level: membership.role_level },
    holds: (permission: string) =>
      covers(permissions, permission) && (ofKey === null || covers(ofKey, permission)),
    ...scopeDatabase(source, owner),
  } as unknown as Scope<P>
}

type LookupKind = 'nothing' | OrganizationKind
interface LookupRequest {
  credential: PersonalCredential
  target: string | null
  /** `org_id` in the query, or null. */
  named: string | null
}
type Lookup = (requested: LookupRequest) => Promise<FoundIdentity | null>
type Fragment = ReturnType<typeof bySession>

/** Creates one grouped query for each kind of credential and each way to find the organization. */
function createLookups(
  sql: Sql,
  byKind: ReadonlyMap<ResourceKind, Resource>,
): Record<PersonalCredential['kind'], Record<LookupKind, Lookup>> {
  const personal = sql`coalesce(who.key_organization_id,
    (select id from organizations where personal_user_id = who.user_id))`
  const resources = [...byKind].map(([kind, resource]) => [
    kind,
    resource.mayBePublic
      ? sql`(select case when not record.is_public or exists (
            select from memberships own where own.user_id = who.user_id and own.status = 'active'
              and own.organization_id = record.organization_id
              and own.organization_id = coalesce(who.key_organization_id, own.organization_id))
          then record.organization_id else coalesce(requested.named, ${personal}) end
        from ${sql(resource.table)} record where record.id = requested.target)`
      : sql`(select organization_id from ${sql(resource.table)} where id = requested.target)`,
  ])
  const organizations: Record<LookupKind, Fragment> = {
    nothing: sql`null::uuid`,
    organization: sql`requested.target`,
    personal,
    ...Object.fromEntries(resources),
  }
  const of = (who: Fragment) =>
    Object.fromEntries(
      Object.entries(organizations).map(([kind, organization]) => [kind, lookUp(sql, who, organization)]),
    ) as Record<LookupKind, Lookup>
  return { session: of(bySession(sql)), 'api key': of(byApiKey(sql)) }
}

/**
 * Returns a look-up of grouped requests. PostgreSQL expects 100 rows of a JSON list, for which it would scan tables as a
 * whole. In a range without statistics, it expects one row in 200. A limit would not do: its estimate differs once its
 * value is known, so PostgreSQL would plan every look-up.
 */
function lookUp(sql: Sql, who: Fragment, organization: Fragment): Lookup {
  return grouped<LookupRequest, FoundIdentity | null>(async (group) => {
    const rows = await sql<(FoundIdentity & { ordinal: number })[]>`
      with requested as (
        select * from json_to_recordset(${JSON.stringify(group.map(toRow))}::text::json)
          as requested (ordinal int, session_id uuid, key_hash text, target uuid, named uuid)
        where ordinal between 0 and ${group.length - 1}),
      ${who}
      select requested.ordinal, who.*, u.is_system_admin, ${membershipColumns(sql)},
        o.require_second_factor and not who.has_second_factor as lacks_second_factor
      from requested join who using (ordinal)
      join users u on u.id = who.user_id
      left join memberships m on m.user_id = who.user_id and m.status = 'active'
        and m.organization_id = ${organization}
        and m.organization_id = coalesce(who.key_organization_id, m.organization_id)
      left join roles r on r.id = m.role_id
      left join organizations o on o.id = m.organization_id`
    const found = new Map(rows.map((row) => [row.ordinal, row]))
    return group.map((_, ordinal) => found.get(ordinal) ?? null)
  }, GROUP_MAX)
}

const bySession = (sql: Sql) => sql`
  who as (
    select ordinal, s.user_id, null::uuid as key_id, null::uuid as key_organization_id,
      null::text[] as key_permissions, s.second_factor_at is not null as has_second_factor
    from requested join sessions s on s.id = session_id and ${liveSession(sql)})`

/** Finds the API key and updates its `last_used_at`, at most once a minute. */
const byApiKey = (sql: Sql) => sql`
  who as (
    select ordinal, k.user_id, k.id as key_id, k.organization_id as key_organization_id,
      k.permissions as key_permissions, true as has_second_factor
    from requested join api_keys k on k.key_hash = requested.key_hash and ${liveKey(sql)}),
  used as (
    update api_keys set last_used_at = now()
    where id in (select key_id from who)
      and (last_used_at is null or last_used_at < now() - interval '1 minute'))`

const toRow = ({ credential, target, named }: LookupRequest, ordinal: number) => ({
  ordinal,
  session_id: credential.kind === 'session' ? credential.sessionId : null,
  key_hash: credential.kind === 'api key' ? credential.keyHash : null,
  target,
  named,
})

/** SQL for the columns of a membership `m` and its role `r`. */
const membershipColumns = (sql: Sql) => sql`
  m.organization_id, m.opened_at is null as unopened, o.suspension_reason, r.id as role_id, r.name as role_name, r.hierarchy_level as role_level,
  ${permissionsOf(sql)} as permissions`
