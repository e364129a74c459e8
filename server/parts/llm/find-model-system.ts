import type { Database } from '#database/connect.ts'
import { toRows } from '#database/grouped.ts'
import { systemSql, tenantSql } from '#database/system-sql.ts'
import type { FragmentSql, TenantSql } from '#database/tenant-sql.ts'
import type { StoredModel } from './find-model.ts'

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
  const rows = await systemSql(database)<(StoredModel & { ordinal: number })[]>`
    select w.ordinal, m.id, m.organization_id as "organizationId", m.provider, m.version,
      m.is_active as "isActive", m.config, m.api_key as "apiKey"
    from json_to_recordset(${toRows(keys)}::text::json)
      as w (ordinal int, "organizationId" uuid, "modelId" uuid)
    join llm_models m on m.id = w."modelId"
      and (m.organization_id = w."organizationId" or m.organization_id is null)`
  const found = new Map(rows.map((row) => [row.ordinal, row]))
  return keys.map((_, ordinal) => found.get(ordinal))
}

/**
 * Selects a row `m` of llm_models as JSON, for statements that join another table with its model. Pass the JSON to
 * `ModelFinder.open`.
 */
export const modelAsJson = (sql: FragmentSql) => sql`
  json_build_object('id', m.id, 'organizationId', m.organization_id, 'provider', m.provider, 'version', m.version,
    'isActive', m.is_active, 'config', m.config, 'apiKey', m.api_key)`
