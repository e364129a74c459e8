import type { Database } from '#database/connect.ts'
import { liveKey, liveSession } from './credentials.ts'
import { coverings, type Permission } from './permissions.ts'

/** Sessions and API keys, by their ids, of people who are connected. */
export interface Listeners {
  sessionIds: readonly string[]
  apiKeyIds: readonly string[]
}

/** For whom something is: who holds the permission in the organization, or of these one person alone. */
export interface Audience {
  organizationId: string
  permission: Permission
  userId: string | null
}

export interface Heard {
  /** For each audience the listeners that belong to it, by the ids of their sessions and keys. */
  audiences: string[][]
  /** The listeners whose session or key has expired, was revoked or is gone. */
  dead: string[]
}

/**
 * Who of the listeners belongs to each audience now, in one query: the session or key lives, its person is an active
 * member of the organization, and role and key hold the permission. A key belongs to one organization.
 */
export type FindAudiences = (listeners: Listeners, wanted: readonly Audience[]) => Promise<Heard>

export function createAudiences({ sql }: Database): FindAudiences {
  return async ({ sessionIds, apiKeyIds }, wanted) => {
    const rows = await sql<{ place: number | null; ids: string[] }[]>`
      with wanted as (
        select * from json_to_recordset(${JSON.stringify(wanted.map(toRow))}::text::json)
          as wanted (place int, organization_id uuid, user_id uuid, coverings text[])),
      alive as materialized (
        select s.id, s.user_id, null::uuid as organization_id, null::text[] as permissions
        from sessions s where s.id = any(${sessionIds}::uuid[]) and ${liveSession(sql)}
        union all
        select k.id, k.user_id, k.organization_id, k.permissions
        from api_keys k where k.id = any(${apiKeyIds}::uuid[]) and ${liveKey(sql)})
      select wanted.place, array_agg(alive.id) as ids
      from wanted
      join memberships m on m.organization_id = wanted.organization_id and m.status = 'active'
        and m.user_id = coalesce(wanted.user_id, m.user_id)
      join alive on alive.user_id = m.user_id
        and m.organization_id = coalesce(alive.organization_id, m.organization_id)
        and (alive.permissions is null or alive.permissions && wanted.coverings)
      where exists (
        select from role_permissions rp join permissions p on p.id = rp.permission_id
        where rp.role_id = m.role_id and p.name = any(wanted.coverings))
      group by wanted.place
      union all
      select null, array(
        select unnest(${[...sessionIds, ...apiKeyIds]}::uuid[]) except select id from alive)`
    const found = new Map(rows.map(({ place, ids }) => [place, ids]))
    return { audiences: wanted.map((_, place) => found.get(place) ?? []), dead: found.get(null) ?? [] }
  }
}

const toRow = ({ organizationId, userId, permission }: Audience, place: number) => ({
  place,
  organization_id: organizationId,
  user_id: userId,
  coverings: coverings(permission),
})
