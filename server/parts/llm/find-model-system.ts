import type { Database } from '#database/connect.ts'
import { toRows } from '#database/grouped.ts'
import { systemSql, tenantSql } from '#database/system-sql.ts'
import type { FragmentSql, TenantSql } from '#database/tenant-sql.ts'
import type { StoredModel } from './find-model.ts'
import { ROUTE } from './schemas.ts'

export interface ModelKey {
  organizationId: string
  modelId: string
}

/**
 * Returns statements bound to the organization that owns the models, which may differ from the caller's organization.
 */
export const modelsOf = (database: Database, organizationId: string): TenantSql =>
  tenantSql(database, { organizationId, userId: null })

/**
 * Reads several models in one statement, for concurrent callers (see grouped). The statement is written by hand for
 * speed, because every message reads a model.
 */
export async function readModels(
  database: Database,
  keys: readonly ModelKey[],
): Promise<(StoredModel | undefined)[]> {
  const sql = systemSql(database)
  const rows = await sql<(StoredModel & { ordinal: number })[]>`
    select w.ordinal, ${modelColumns(sql)}
    from json_to_recordset(${toRows(keys)}::text::json)
      as w (ordinal int, "organizationId" uuid, "modelId" uuid)
    join llm_models m on m.id = w."modelId"
      and (m.organization_id = w."organizationId" or m.organization_id is null)`
  const found = new Map(rows.map((row) => [row.ordinal, row]))
  return keys.map((_, ordinal) => found.get(ordinal))
}

/** The columns of a StoredModel, from a row `m` of llm_models. */
export const modelColumns = (sql: FragmentSql) => sql`
  m.id, m.organization_id as "organizationId", m.name, m.provider, m.version, m.is_active as "isActive", m.config,
  m.api_key as "apiKey", ${members(sql)} as members,
  ${connection(sql)} as connection`

/** Selects the connection of a row `m` of llm_models. Null if the model has none. */
const connection = (sql: FragmentSql) => sql`
  case when m.connection_id is not null then (
    select json_build_object('id', c.id, 'apiKey', c.api_key, 'baseUrl', c.base_url) from llm_connections c
    where c.id = m.connection_id and c.organization_id = m.organization_id) end`

/**
 * Selects the members of a route `m` of llm_models in order. They belong to the route's organization or to the
 * environment. Null for other models.
 */
const members = (sql: FragmentSql) => sql`
  case when m.provider = ${ROUTE} then (
    select coalesce(json_agg(json_build_object('id', r.id, 'organizationId', r.organization_id, 'name', r.name,
      'provider', r.provider, 'version', r.version, 'isActive', r.is_active, 'config', r.config, 'apiKey', r.api_key,
      'connection', case when c.id is not null
        then json_build_object('id', c.id, 'apiKey', c.api_key, 'baseUrl', c.base_url) end)
      order by listed.position), '[]')
    from jsonb_array_elements(m.config -> 'route' -> 'members') with ordinality as listed (member, position)
    join llm_models r on r.id = (listed.member ->> 'model_id')::uuid
      and (r.organization_id = m.organization_id or r.organization_id is null)
    left join llm_connections c on c.id = r.connection_id and c.organization_id = r.organization_id) end`

/**
 * Selects a row `m` of llm_models as JSON, for statements that join another table with its model. Pass the JSON to
 * `ModelFinder.open`.
 */
export const modelAsJson = (sql: FragmentSql) => sql`
  json_build_object('id', m.id, 'organizationId', m.organization_id, 'name', m.name, 'provider', m.provider,
    'version', m.version, 'isActive', m.is_active, 'config', m.config, 'apiKey', m.api_key, 'members', ${members(sql)},
    'connection', ${connection(sql)})`
