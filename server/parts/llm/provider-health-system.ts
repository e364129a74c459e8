import { systemSql } from '#database/system-sql.ts'
import { AppError } from '#errors'
import type { Services } from '#platform/services.ts'
import { callableOf, environmentProviders, type StoredModel } from './find-model.ts'
import { modelColumns } from './find-model-system.ts'

export interface ProviderHealth {
  provider: string
  /** Number of active models. */
  models: number
  /** Number of models whose last calls from this process failed. */
  failing: number
  /** The sentence of one of the failures. Null if no model fails. */
  error: string | null
}

/** Returns the providers of the environment with the health of their models, as seen by this process. */
export async function listProviderHealth(services: Services): Promise<ProviderHealth[]> {
  const sql = systemSql(services.database)
  const providers = environmentProviders(services)
  const models = await sql<StoredModel[]>`
    select ${modelColumns(sql)} from llm_models m
    where m.organization_id is null and m.is_active and m.provider = any(${providers})`
  return providers.map((provider) => {
    const own = models.filter((model) => model.provider === provider)
    const errors = own.flatMap((model) => errorOf(services, model) ?? [])
    return { provider, models: own.length, failing: errors.length, error: errors[0] ?? null }
  })
}

/** Returns the last failure of a model, or null. A model that cannot be called because of its settings fails, too. */
function errorOf(services: Services, model: StoredModel): string | null {
  try {
    return services.models.health.of(callableOf(services, model, '').target).error
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}
