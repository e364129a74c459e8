import { eq, sql as statement } from '#database/drizzle.ts'
import { olderThan } from '#database/keyset.ts'
import { patternsHolding } from '#database/like.ts'
import { newId } from '#database/new-id.ts'
import { agents } from '#database/schema/agents.ts'
import { knowledgeBases } from '#database/schema/kb.ts'
import { llmModels, type ModelConfig } from '#database/schema/llm.ts'
import { isForeignKeyViolation, onMissingReference } from '#database/sql-state.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { ScopedStatements } from '#platform/access/scoped-database.ts'
import { type Change, mergeFields } from '#platform/http/merge-fields.ts'
import { type ListQuery, type Page, readPage } from '#platform/http/pagination.ts'
import type { Services } from '#platform/services.ts'
import { checkSettings, lockMembers, readMembers } from './check-settings.ts'
import { environmentProviders } from './find-model.ts'
import { modelColumns } from './find-model-system.ts'
import { type ModelChange, type ModelRow, type ModelView, type NewModel, viewModel } from './schemas.ts'

/**
 * Adds a model or route to the organization. The API key is stored encrypted and bound to the row. Throws the errors
 * of checkSettings.
 */
export async function addModel(
  { secrets }: Services,
  scope: Scope<'organization:write'>,
  input: NewModel,
): Promise<ModelView> {
  const { api_key: apiKey, connection_id: connectionId, ...config } = input.config ?? {}
  const members = await checkSettings(scope, input.provider, (input.config ?? {}) as ModelConfig)
  const id = newId()
  const added = scope.transaction(async (database) => {
    if (members) await lockMembers(database, members)
    return database.insert(llmModels, {
      id,
      name: input.name,
      provider: input.provider,
      version: input.version,
      isActive: input.is_active ?? true,
      config: config as ModelConfig,
      apiKey: apiKey === undefined ? null : secrets.encrypt(apiKey, id),
      connectionId: connectionId ?? null,
      createdBy: scope.userId,
    })
  })
  return viewModel({ ...(await added.catch(onConnectionGone)), members })
}

/** A connection may be deleted after checkSettings has read it. */
const onConnectionGone = onMissingReference('llm.connection_not_found')

/** Returns one of the organization's own models. Throws llm.not_found. */
export async function getModel(scope: Scope<'organization:write'>, modelId: string): Promise<ModelView> {
  const [row] = await scope.select(llmModels, { where: eq(llmModels.id, modelId) })
  if (!row) throw fail('llm.not_found', { value: modelId })
  return viewModel({ ...row, members: await readMembers(scope, row.config) })
}

/** A row as the driver returns it, with timestamps as strings. */
type ReadModel = Omit<ModelRow, 'createdAt' | 'updatedAt'> & { createdAt: string; updatedAt: string }

/** Returns the organization's own models and the models of the environment, newest first. */
export const listModels = (
  services: Services,
  scope: Scope<'organization:read'>,
  query: ListQuery,
): Promise<Page<ModelView>> =>
  readPage(
    query,
    (below, count) => scope.sql<ReadModel[]>`
      ${selectModels(services, scope)} and ${olderThan(scope.sql, 'm.id', below)}
        and concat_ws(' ', m.name, m.version) ilike all (${patternsHolding(query.q)}::text[])
      order by m.id desc limit ${count}`,
    viewRead,
  )

/** Returns one of the models of listModels. Throws llm.not_found. */
export async function readModel(
  services: Services,
  scope: Scope<'organization:read'>,
  modelId: string,
): Promise<ModelView> {
  const [row] = await scope.sql<ReadModel[]>`${selectModels(services, scope)} and m.id = ${modelId}`
  if (!row) throw fail('llm.not_found', { value: modelId })
  return viewRead(row)
}

const selectModels = (services: Services, { sql, organizationId }: Scope<'organization:read'>) => sql`
  select ${modelColumns(sql)}, m.connection_id as "connectionId", m.created_by as "createdBy",
    m.created_at as "createdAt", m.updated_at as "updatedAt"
  from llm_models m
  where (m.organization_id = ${organizationId}
    or m.organization_id is null and m.provider = any(${environmentProviders(services)}))`

const viewRead = (row: ReadModel): ModelView =>
  viewModel({ ...row, createdAt: new Date(row.createdAt), updatedAt: new Date(row.updatedAt) })

/**
 * Updates the given fields, and the given keys of `config`. Changing `base_url` requires the API key again, because a
 * stored key must never be sent to a new address. Throws llm.not_found, llm.key_needed, and the errors of checkSettings.
 */
export async function updateModel(
  { secrets }: Services,
  scope: Scope<'organization:write'>,
  modelId: string,
  change: ModelChange,
): Promise<ModelView> {
  const { api_key: apiKey, connection_id: connection, ...config } = change.config ?? {}
  const [known] = await scope.select(llmModels, { where: eq(llmModels.id, modelId) })
  if (!known) throw fail('llm.not_found', { value: modelId })
  const connectionOf = ({ connectionId }: Pick<ModelRow, 'connectionId'>) =>
    connection === undefined ? connectionId : connection
  const connectedTo = connectionOf(known)
  const members = change.config
    ? await checkSettings(scope, known.provider, {
        ...mergeFields<ModelConfig>(known.config, config as Change<ModelConfig>),
        ...(apiKey && { api_key: apiKey }),
        ...(connectedTo && { connection_id: connectedTo }),
      })
    : await readMembers(scope, known.config)
  const changed = scope.transaction(async (database) => {
    if (members) await lockMembers(database, members)
    // Of two changes, the second sees the first: otherwise one could write back an old address or connection. The
    // settings checked above may be outdated, so that the key of a connection must be kept from an address once more.
    const [before] = await database.select(llmModels, { where: eq(llmModels.id, modelId), lock: true })
    if (!before) throw fail('llm.not_found', { value: modelId })
    const merged = mergeFields<ModelConfig>(before.config, config as Change<ModelConfig>)
    const connectionId = connectionOf(before)
    if (connectionId !== null && merged.base_url !== undefined) throw fail('llm.connection_or_key')
    const keepsKey =
      merged.base_url !== before.config.base_url && apiKey === undefined && connectionId === null
    if (keepsKey && before.apiKey !== null) throw fail('llm.key_needed')
    const [row = before] = await database.update(llmModels, eq(llmModels.id, modelId), {
      ...(change.name !== undefined && { name: change.name }),
      ...(change.version !== undefined && { version: change.version }),
      ...(change.is_active !== undefined && { isActive: change.is_active }),
      ...(change.config !== undefined && { config: merged, connectionId }),
      ...(connectionId !== null && { apiKey: null }),
      ...(apiKey !== undefined && { apiKey: apiKey === null ? null : secrets.encrypt(apiKey, modelId) }),
      updatedAt: new Date(),
    })
    return viewModel({ ...row, members })
  })
  return changed.catch(onConnectionGone)
}

/**
 * Deletes a model. Throws llm.not_found, and llm.in_use with the names of the knowledge bases, agents and routes that
 * use the model.
 */
export async function deleteModel(scope: Scope<'organization:write'>, modelId: string): Promise<void> {
  const deleted = scope.transaction(async (database) => {
    // The lock keeps other transactions from adding the model to a route (lockMembers).
    const [row] = await database.select(llmModels, { where: eq(llmModels.id, modelId), lock: true })
    if (!row) throw fail('llm.not_found', { value: modelId })
    const users = await namesOfUsers(database, modelId)
    if (users.length > 0) throw inUse(users)
    await database.delete(llmModels, eq(llmModels.id, modelId))
  })
  await deleted.catch(async (error: unknown) => {
    throw isForeignKeyViolation(error) ? inUse(await namesOfUsers(scope, modelId)) : error
  })
}

async function namesOfUsers(database: Pick<ScopedStatements, 'select'>, modelId: string): Promise<string[]> {
  const limit = USERS_NAMED
  const member = JSON.stringify([{ model_id: modelId }])
  const searched = await database.select(knowledgeBases, {
    where: eq(knowledgeBases.embeddingModelId, modelId),
    limit,
  })
  const spoken = await database.select(agents, { where: eq(agents.modelId, modelId), limit })
  const routes = await database.select(llmModels, {
    where: statement`${llmModels.config} -> 'route' -> 'members' @> ${member}::jsonb`,
    limit,
  })
  return [
    ...searched.map(({ name }) => `the knowledge base ${name}`),
    ...spoken.map(({ name }) => `the agent ${name}`),
    ...routes.map(({ name }) => `the route ${name}`),
  ]
}

/** Maximum number of knowledge bases, of agents, and of routes, named in an error. */
const USERS_NAMED = 10
const inUse = (users: string[]) => fail('llm.in_use', { users: users.join(', ') || 'others' })
