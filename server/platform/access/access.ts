import type { Sql } from 'postgres'
import type { Database } from '#database/connect.ts'
import { grouped } from '#database/grouped.ts'
import { type ErrorCode, fail } from '#errors'
import type { TokenClaims } from './access-tokens.ts'
import { covers, type Permission } from './permissions.ts'
import type { Caller, OrganizationSource, Scope } from './scope.ts'
import { scopeDatabase } from './scoped-database.ts'

/** The part of a request that says who asks and for what. */
export interface AccessRequest {
  claims: TokenClaims
  query: Record<string, unknown>
  body: unknown
}

/**
 * Finds out who the caller is and what he may do. Session, membership, role and permissions are read at every
 * request, in one query, so a change holds from the next request on, on every instance.
 */
export interface AccessDesk {
  openCaller(claims: TokenClaims): Promise<Caller>
  /** Throws 404 where the caller is no active member, exactly as for an id that does not exist; 403 without P. */
  openScope<P extends Permission>(
    access: { permission: P; orgOf: OrganizationSource },
    request: AccessRequest,
  ): Promise<Scope<P>>
  openScopes<P extends Permission>(permission: P, claims: TokenClaims): Promise<Scope<P>[]>
}

/** The most requests whose access is looked up in one statement. */
const GROUP_MAX = 100

export function createAccessDesk(database: Database): AccessDesk {
  const lookUps = createLookUps(database.sql)
  const scopeOf = <P extends Permission>(userId: string, organizationId: string): Scope<P> =>
    ({
      organizationId,
      userId,
      ...scopeDatabase(database.db, { organizationId, userId }),
    }) as Scope<P>

  return {
    async openCaller(claims) {
      return callerOf(await lookUps.session({ sessionId: claims.sessionId, target: null }), claims)
    },
    async openScope({ permission, orgOf }, request) {
      const { kind, target, notFound } = locate(orgOf, request)
      const found = await lookUps[kind]({ sessionId: request.claims.sessionId, target })
      callerOf(found, request.claims)
      if (!found?.organization_id) throw fail(notFound)
      if (!covers(found.permissions, permission)) throw fail('access.missing_permission', { permission })
      return scopeOf(found.user_id, found.organization_id)
    },
    async openScopes(permission, claims) {
      callerOf(await lookUps.session({ sessionId: claims.sessionId, target: null }), claims)
      const memberships = await database.sql<{ organization_id: string; permissions: string[] }[]>`
        select m.organization_id, ${permissionsOf(database.sql)} as permissions
        from memberships m where m.user_id = ${claims.userId} and m.status = 'active'`
      return memberships
        .filter(({ permissions }) => covers(permissions, permission))
        .map(({ organization_id }) => scopeOf(claims.userId, organization_id))
    },
  }
}

/** Which look-up finds the organization, for what id, and what to answer when there is none. */
function locate(
  orgOf: OrganizationSource,
  { query, body }: AccessRequest,
): { kind: LookUpKind; target: string | null; notFound: ErrorCode } {
  if (orgOf === 'body')
    return { kind: 'organization', target: idIn(body, 'organization_id'), notFound: 'org.not_found' }
  if (orgOf === 'query' || (orgOf === 'query or personal' && query['org_id'] !== undefined))
    return { kind: 'organization', target: idIn(query, 'org_id'), notFound: 'org.not_found' }
  if (orgOf === 'query or personal') return { kind: 'personal', target: null, notFound: 'org.not_found' }
  const [[kind, parameter]] = Object.entries(orgOf) as [['chat' | 'model' | 'instruction', string]]
  return { kind, target: idIn(query, parameter), notFound: NOT_FOUND[kind] }
}

const idIn = (values: unknown, name: string): string | null =>
  ((values as Record<string, unknown> | null)?.[name] as string | undefined) ?? null

const NOT_FOUND = {
  chat: 'chat.not_found',
  model: 'llm.not_found',
  instruction: 'instruction.not_found',
} as const satisfies Record<string, ErrorCode>

interface Found {
  user_id: string
  is_system_admin: boolean
  organization_id: string | null
  permissions: string[]
}

function callerOf(found: Found | null, claims: TokenClaims): Caller {
  if (!found || found.user_id !== claims.userId) throw fail('auth.invalid_token')
  return { userId: found.user_id, sessionId: claims.sessionId, isSystemAdmin: found.is_system_admin }
}

type LookUpKind = 'session' | 'organization' | 'personal' | 'chat' | 'model' | 'instruction'
interface Wanted {
  sessionId: string
  target: string | null
}

/** One grouped query for each way to an organization; they differ in nothing but where its id is found. */
function createLookUps(sql: Sql): Record<LookUpKind, (wanted: Wanted) => Promise<Found | null>> {
  const lookUp = (organization: ReturnType<Sql>) =>
    grouped<Wanted, Found | null>(async (group) => {
      const rows = await sql<(Found & { place: number })[]>`
        select wanted.place, s.user_id, u.is_system_admin, m.organization_id,
          ${permissionsOf(sql)} as permissions
        from json_to_recordset(${JSON.stringify(group.map(toRow))}::text::json)
          as wanted (place int, session_id uuid, target uuid)
        join sessions s on s.id = wanted.session_id and s.revoked_at is null and s.expires_at > now()
        join users u on u.id = s.user_id
        left join memberships m
          on m.user_id = s.user_id and m.status = 'active' and m.organization_id = ${organization}`
      const found = new Map(rows.map((row) => [row.place, row]))
      return group.map((_, place) => found.get(place) ?? null)
    }, GROUP_MAX)
  return {
    session: lookUp(sql`null::uuid`),
    organization: lookUp(sql`wanted.target`),
    personal: lookUp(sql`(select id from organizations where personal_user_id = s.user_id)`),
    chat: lookUp(sql`(select organization_id from chats where id = wanted.target)`),
    model: lookUp(sql`(select organization_id from llm_models where id = wanted.target)`),
    instruction: lookUp(sql`(select organization_id from instructions where id = wanted.target)`),
  }
}

const toRow = ({ sessionId, target }: Wanted, place: number) => ({ place, session_id: sessionId, target })

/** The permissions of a membership `m`, as an array. */
const permissionsOf = (sql: Sql) => sql`
  array(select p.name from role_permissions rp join permissions p on p.id = rp.permission_id
    where rp.role_id = m.role_id)`
