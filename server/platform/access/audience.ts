import type { OpenDatabase } from '#database/connect.ts'
import { liveKey, liveSession } from './credentials.ts'
import { coverings, type Permission } from './permissions.ts'

/**
 * Recipients of an event: the organization's members who hold the permission. A non-null `userId` limits the
 * recipients to that member.
 */
export interface Audience {
  organizationId: string
  permission: Permission
  userId: string | null
}

export interface FoundAudiences {
  /** For each requested audience, the ids of the sessions and API keys that belong to the audience. */
  audiences: string[][]
  /** Ids of sessions and API keys that have expired, or were revoked or deleted. */
  dead: string[]
}

/**
 * Finds the listeners that currently belong to each audience, in one query. A listener is identified by the id of its
 * session or API key.
 *
 * A listener belongs to an audience if all of these are true:
 * - The session or key is valid, and its user is an active member of the organization.
 * - The session has provided a second factor if the organization requires one.
 * - The role and the key hold the permission. A key gives access to one organization.
 */
export type FindAudiences = (
  credentialIds: readonly string[],
  requested: readonly Audience[],
) => Promise<FoundAudiences>

export function createAudiences({ sql }: OpenDatabase): FindAudiences {
  return async (credentialIds, requested) => {
    const rows = await sql<{ ordinal: number | null; ids: string[] }[]>`
      with given as materialized (select unnest(${credentialIds}::uuid[]) as id),
      alive as materialized (
        select s.id, s.user_id, null::uuid as organization_id, null::text[] as permissions,
          s.second_factor_at is not null as has_second_factor
        from sessions s where s.id = any(${credentialIds}::uuid[]) and ${liveSession(sql)}
        union all
        select k.id, k.user_id, k.organization_id, k.permissions, true
        from given join api_keys k using (id) where ${liveKey(sql)}),
      requested as (
        select * from json_to_recordset(${JSON.stringify(requested.map(toRow))}::text::json)
          as requested (ordinal int, organization_id uuid, user_id uuid, coverings text[])),
      roles_wanted as materialized (
        select requested.*, r.id as role_id
        from requested join roles r on r.organization_id = requested.organization_id
        where exists (
          select from role_permissions rp join permissions p on p.id = rp.permission_id
          where rp.role_id = r.id and p.name = any(requested.coverings)))
      select w.ordinal, array_agg(alive.id) as ids
      from alive
      join memberships m on m.user_id = alive.user_id and m.status = 'active'
        and m.organization_id = coalesce(alive.organization_id, m.organization_id)
      join organizations o on o.id = m.organization_id
        and (alive.has_second_factor or not o.require_second_factor)
      join roles_wanted w on w.organization_id = m.organization_id and w.role_id = m.role_id
        and m.user_id = coalesce(w.user_id, m.user_id)
        and (alive.permissions is null or alive.permissions && w.coverings)
      group by w.ordinal
      union all
      select null, array(select id from given except select id from alive)`
    const found = new Map(rows.map(({ ordinal, ids }) => [ordinal, ids]))
    return { audiences: requested.map((_, ordinal) => found.get(ordinal) ?? []), dead: found.get(null) ?? [] }
  }
}

const toRow = ({ organizationId, userId, permission }: Audience, ordinal: number) => ({
  ordinal,
  organization_id: organizationId,
  user_id: userId,
  coverings: coverings(permission),
})
