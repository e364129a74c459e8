import type { Database } from '#database/connect.ts'
import { toRows } from '#database/grouped.ts'
import { systemSql, tenantSql } from '#database/system-sql.ts'
import type { FragmentSql, TenantSql } from '#database/tenant-sql.ts'
import type { StoredModel } from './find-model.ts'

export interface ModelKey {
  organizationId: string
  modelId: string
}

/** Returns the tenant statements of the organization that owns the models, which may differ from the caller's. */
export const modelsOf = (database: Database, organizationId: string): TenantSql =>
  tenantSql(database, { organizationId, userId: null })

/**
 * Reads models for concurrent callers in one hand-written statement, since every message needs one (see grouped).
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
 * Selects a row `m` of llm_models as JSON, for statements that read a model with its user; pass it to
 * `ModelFinder.open`.
 */
export const modelAsJson = (sql: FragmentSql) => sql`
  json_build_object('id', m.id, 'organizationId', m.organization_id, 'provider', m.provider, 'version', m.version,
    'isActive', m.is_active, 'config', m.config, 'apiKey', m.api_key)`
