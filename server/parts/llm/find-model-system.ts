import type { Database } from '#database/connect.ts'
import { toRows } from '#database/grouped.ts'
import { systemSql, tenantSql } from '#database/system-sql.ts'
import type { FragmentSql, TenantSql } from '#database/tenant-sql.ts'
import type { StoredModel } from './find-model.ts'

export interface ModelKey {
  organizationId: string
  modelId: string
}

/** A model is looked for in the organization that it is used in, which is not always the caller's. */
export const modelsOf = (database: Database, organizationId: string): TenantSql =>
  tenantSql(database, { organizationId, userId: null })

/** By hand and for all that wait, since every message needs one (see grouped). */
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

/** A row `m` of llm_models as JSON: what uses a model is read together with it, and `ModelFinder.open` does the rest. */
export const modelAsJson = (sql: FragmentSql) => sql`
  json_build_object('id', m.id, 'organizationId', m.organization_id, 'provider', m.provider, 'version', m.version,
    'isActive', m.is_active, 'config', m.config, 'apiKey', m.api_key)`
