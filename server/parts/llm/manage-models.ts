import { eq } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { agents } from '#database/schema/agents.ts'
import { knowledgeBases } from '#database/schema/kb.ts'
import { llmModels, type ModelConfig } from '#database/schema/llm.ts'
import { isForeignKeyViolation } from '#database/sql-state.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { type Change, mergeFields } from '#platform/http/merge-fields.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import type { Services } from '#platform/services.ts'
import { environmentProviders } from './environment-models-system.ts'
import { type ModelChange, type ModelRow, type ModelView, type NewModel, viewModel } from './schemas.ts'

/** Adds a model to the organization. The API key is stored encrypted and bound to the row. */
export async function addModel(
  { secrets }: Services,
  scope: Scope<'organization:write'>,
  input: NewModel,
): Promise<ModelView> {
  const { api_key: apiKey, ...config } = input.config ?? {}
  const id = newId()
  const row = await scope.insert(llmModels, {
    id,
    name: input.name,
    provider: input.provider,
    version: input.version,
    isActive: input.is_active ?? true,
    config: config as ModelConfig,
    apiKey: apiKey === undefined ? null : secrets.encrypt(apiKey, id),
    createdBy: scope.userId,
  })
  return viewModel(row)
}

/** Returns one of the organization's own models. Throws llm.not_found. */
export async function getModel(scope: Scope<'organization:write'>, modelId: string): Promise<ModelView> {
  const [row] = await scope.select(llmModels, { where: eq(llmModels.id, modelId) })
  if (!row) throw fail('llm.not_found')
  return viewModel(row)
}

/** A row as the driver returns it, with timestamps as strings. */
type ReadModel = Omit<ModelRow, 'createdAt' | 'updatedAt'> & { createdAt: string; updatedAt: string }

/** Returns the organization's own models and the models of the environment, newest first. */
export function listModels(
  services: Services,
  scope: Scope<'organization:read'>,
  query: { limit?: number; cursor?: string },
): Promise<Page<ModelView>> {
  const { sql, organizationId } = scope
  const providers = environmentProviders(services)
  return readPage(
    query,
    async (below, count) => {
      const rows = await sql<ReadModel[]>`
        select id, organization_id as "organizationId", name, provider, version, is_active as "isActive", config,
          api_key as "apiKey", created_by as "createdBy", created_at as "createdAt", updated_at as "updatedAt"
        from llm_models
        where (organization_id = ${organizationId} or organization_id is null and provider = any(${providers}))
          ${below === undefined ? sql`` : sql`and id < ${below}`}
        order by id desc limit ${count}`
      return rows.map((row) => ({
        ...row,
        createdAt: new Date(row.createdAt),
        updatedAt: new Date(row.updatedAt),
      }))
    },
    viewModel,
  )
}

/**
 * Updates the given fields, and the given keys of `config`. Changing `base_url` requires the API key again, because a stored key must never be sent to a new address. Throws
 * llm.not_found, llm.key_needed.
 */
export async function updateModel(
  { secrets }: Services,
  scope: Scope<'organization:write'>,
  modelId: string,
  change: ModelChange,
): Promise<ModelView> {
  const { api_key: apiKey, ...config } = change.config ?? {}
  return scope.transaction(async (database) => {
    const [before] = await database.select(llmModels, { where: eq(llmModels.id, modelId) })
    if (!before) throw fail('llm.not_found')
    const merged = mergeFields<ModelConfig>(before.config, config as Change<ModelConfig>)
    const moved = merged.base_url !== before.config.base_url
    if (moved && before.apiKey !== null && apiKey === undefined) throw fail('llm.key_needed')
    const [row = before] = await database.update(llmModels, eq(llmModels.id, modelId), {
      ...(change.name !== undefined && { name: change.name }),
      ...(change.version !== undefined && { version: change.version }),
      ...(change.is_active !== undefined && { isActive: change.is_active }),
      ...(change.config !== undefined && { config: merged }),
      ...(apiKey !== undefined && { apiKey: apiKey === null ? null : secrets.encrypt(apiKey, modelId) }),
      updatedAt: new Date(),
    })
    return viewModel(row)
  })
}

/**
 * Deletes a model. Throws llm.not_found, and llm.in_use with the names of the knowledge bases and agents that use the
 * model.
 */
export async function deleteModel(scope: Scope<'organization:write'>, modelId: string): Promise<void> {
  const users = await namesOfUsers(scope, modelId)
  if (users.length > 0) throw inUse(users)
  const rows = await scope.delete(llmModels, eq(llmModels.id, modelId)).catch(async (error: unknown) => {
    throw isForeignKeyViolation(error) ? inUse(await namesOfUsers(scope, modelId)) : error
  })
  if (rows.length === 0) throw fail('llm.not_found')
}

async function namesOfUsers(scope: Scope<'organization:write'>, modelId: string): Promise<string[]> {
  const [searched, spoken] = await Promise.all([
    scope.select(knowledgeBases, { where: eq(knowledgeBases.embeddingModelId, modelId), limit: USERS_NAMED }),
    scope.select(agents, { where: eq(agents.modelId, modelId), limit: USERS_NAMED }),
  ])
  return [
    ...searched.map(({ name }) => `the knowledge base ${name}`),
    ...spoken.map(({ name }) => `the agent ${name}`),
  ]
}

/** Maximum number of knowledge bases, and of agents, named in an error. */
const USERS_NAMED = 10
const inUse = (users: string[]) => fail('llm.in_use', { users: users.join(', ') || 'others' })
