import { eq } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { llmConnections, llmModels } from '#database/schema/llm.ts'
import { isForeignKeyViolation, onUniqueViolation } from '#database/sql-state.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { listRecords } from '#platform/http/list-records.ts'
import type { ListQuery, Page } from '#platform/http/pagination.ts'
import { DEFAULT_BASE_URLS } from '#platform/models/index.ts'
import { ModelError, type Provider } from '#platform/models/types.ts'
import type { Services } from '#platform/services.ts'
import {
  type ConnectionChange,
  type ConnectionRow,
  type ConnectionView,
  type NewConnection,
  type OfferedModels,
  viewConnection,
} from './connection-schemas.ts'
import { endpointOfTenant, needsKey } from './find-model.ts'
import { modelFailure } from './model-failure.ts'
import { type Capability, capabilitiesOf } from './schemas.ts'

type Writer = Scope<'organization:write'>

const onNameTaken = onUniqueViolation('llm.connection_name_taken')
/** Maximum number of models named in an error. */
const MODELS_NAMED = 10

/**
 * Creates a connection. The API key is stored encrypted and bound to the row. Throws llm.connection_name_taken,
 * llm.api_key_needed, llm.base_url_needed.
 */
export async function createConnection(
  { secrets }: Services,
  scope: Writer,
  { name, provider, api_key: apiKey, base_url: baseUrl }: NewConnection,
): Promise<ConnectionView> {
  if (apiKey === undefined && needsKey(provider)) throw fail('llm.api_key_needed', { provider })
  checkBaseUrl(provider, baseUrl)
  const id = newId()
  const row = await scope
    .insert(llmConnections, {
      id,
      name,
      provider,
      apiKey: apiKey === undefined ? null : secrets.encrypt(apiKey, id),
      baseUrl: baseUrl ?? null,
      createdBy: scope.userId,
    })
    .catch(onNameTaken)
  return viewConnection(row)
}

/** Returns the organization's connections, newest first. */
export const listConnections = (
  scope: Scope<'organization:read'>,
  query: ListQuery,
): Promise<Page<ConnectionView>> => listRecords(scope, llmConnections, { query, view: viewConnection })

/** Returns a connection. Throws llm.connection_not_found. */
export const getConnection = async (scope: Writer, id: string): Promise<ConnectionView> =>
  viewConnection(found(await scope.select(llmConnections, { where: eq(llmConnections.id, id) }), id))

/**
 * Updates the given fields, for all models that use the connection. Changing `base_url` requires the API key again,
 * because a stored key must never be sent to a new address. Throws llm.connection_not_found,
 * llm.connection_name_taken, llm.connection_key_needed, llm.base_url_needed.
 */
export async function updateConnection(
  { secrets }: Services,
  scope: Writer,
  id: string,
  { name, api_key: apiKey, base_url: baseUrl }: ConnectionChange,
): Promise<ConnectionView> {
  const isOne = eq(llmConnections.id, id)
  const changed = scope.transaction(async (database) => {
    const before = found(await database.select(llmConnections, { where: isOne, lock: true }), id)
    const isMoved = baseUrl !== undefined && baseUrl !== before.baseUrl
    if (isMoved && before.apiKey !== null && apiKey === undefined) throw fail('llm.connection_key_needed')
    if (isMoved) checkBaseUrl(before.provider, baseUrl)
    return database.update(llmConnections, isOne, {
      ...(name !== undefined && { name }),
      ...(apiKey !== undefined && { apiKey: secrets.encrypt(apiKey, id) }),
      ...(baseUrl !== undefined && { baseUrl }),
      updatedAt: new Date(),
    })
  })
  return viewConnection(found(await changed.catch(onNameTaken), id))
}

/** Deletes a connection. Throws llm.connection_not_found, and llm.connection_in_use with the names of its models. */
export async function deleteConnection(scope: Writer, id: string): Promise<void> {
  const deleted = await scope
    .delete(llmConnections, eq(llmConnections.id, id))
    .catch(async (error: unknown) => {
      if (!isForeignKeyViolation(error)) throw error
      const users = await scope.select(llmModels, {
        where: eq(llmModels.connectionId, id),
        limit: MODELS_NAMED,
      })
      throw fail('llm.connection_in_use', { models: users.map(({ name }) => name).join(', ') || 'others' })
    })
  found(deleted, id)
}

/**
 * Returns the models that the connection's provider offers. Throws llm.connection_not_found, and the errors of
 * modelFailure.
 */
export async function listOffered(
  { models, secrets }: Services,
  scope: Writer,
  id: string,
): Promise<OfferedModels> {
  const row = found(await scope.select(llmConnections, { where: eq(llmConnections.id, id) }), id)
  const provider = row.provider as Provider
  const target = { provider, model: '', ...endpointOfTenant(secrets, provider, row) }
  const offered = await models.listModels(target).catch((error: unknown) => {
    throw error instanceof ModelError ? modelFailure(error) : error
  })
  return {
    data: offered.map(({ model, contextWindow }) => ({
      version: model,
      context_window: contextWindow ?? null,
      capabilities: capabilitiesOf({ provider, version: model, config: {} }) as Capability[],
    })),
  }
}

function checkBaseUrl(provider: string, baseUrl: string | null | undefined): void {
  if ((baseUrl ?? DEFAULT_BASE_URLS[provider as Provider]) === undefined)
    throw fail('llm.base_url_needed', { provider })
}

function found([row]: ConnectionRow[], id: string): ConnectionRow {
  if (!row) throw fail('llm.connection_not_found', { value: id })
  return row
}
