import { asc, eq, inArray } from '#database/drizzle.ts'
import { llmConnections, llmModels, type ModelConfig } from '#database/schema/llm.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { ScopedStatements } from '#platform/access/scoped-database.ts'
import { speaksOpenAi } from '#platform/models/index.ts'
import { ROUTE, sharedCapabilities } from './schemas.ts'

interface Member {
  id: string
  organizationId: string | null
  name: string
  provider: string
  version: string
  config: ModelConfig
}

/** A model's `config` as clients send it. */
type GivenConfig = ModelConfig & { api_key?: string; connection_id?: string }

/** Returns the members of a route in order, without those that don't exist, or null for a plain model. */
export async function readMembers(
  { sql, organizationId }: Scope<'organization:write'>,
  { route }: ModelConfig,
): Promise<Member[] | null> {
  if (!route) return null
  const ids = route.members.map(({ model_id: id }) => id)
  const rows = await sql<Member[]>`
    select id, organization_id as "organizationId", name, provider, version, config from llm_models
    where id = any(${ids}::uuid[]) and (organization_id = ${organizationId} or organization_id is null)`
  return ids.flatMap((id) => rows.find((row) => row.id === id) ?? [])
}

/** Checks that a model can use a connection. Throws llm.connection_or_key, llm.connection_not_found, llm.connection_of_another. */
async function checkConnection(
  scope: Scope<'organization:write'>,
  provider: string,
  { connection_id: id, api_key: apiKey, base_url: baseUrl }: GivenConfig,
): Promise<void> {
  if (id === undefined) return
  if (apiKey !== undefined || baseUrl !== undefined) throw fail('llm.connection_or_key')
  const [connection] = await scope.select(llmConnections, { where: eq(llmConnections.id, id) })
  if (!connection) throw fail('llm.connection_not_found', { value: id })
  const { provider: connected } = connection
  if (connected !== provider) throw fail('llm.connection_of_another', { connected, provider })
}

/**
 * Checks the settings of a model against its provider. Returns the members of a route, or null for a plain model.
 * Throws the errors of checkConnection, and llm.route_needed, llm.setting_unknown, llm.member_not_found,
 * llm.member_is_route, llm.members_differ.
 */
export async function checkSettings(
  scope: Scope<'organization:write'>,
  provider: string,
  config: GivenConfig,
): Promise<Member[] | null> {
  const { route } = config
  const foreign = foreignSetting(provider, config)
  if (foreign !== undefined) throw fail('llm.setting_unknown', { setting: foreign, provider })
  if (provider === ROUTE && !route) throw fail('llm.route_needed')
  await checkConnection(scope, provider, config)
  const members = await readMembers(scope, config)
  if (!route || !members) return null
  const missing = route.members.find(({ model_id: id }) => !members.some((member) => member.id === id))
  if (missing) throw fail('llm.member_not_found', { value: missing.model_id })
  const nested = members.find((member) => member.provider === ROUTE)
  if (nested) throw fail('llm.member_is_route', { model: nested.name })
  if (sharedCapabilities(members).length === 0) throw fail('llm.members_differ')
  return members
}

/** Returns a setting that models of this provider do not have, if the config contains one. */
function foreignSetting(provider: string, { route, ...others }: GivenConfig): string | undefined {
  if (provider === ROUTE) return Object.keys(others)[0]
  if (route) return 'route'
  return others.omit && !speaksOpenAi(provider) ? 'omit' : undefined
}

/**
 * Locks the organization's members of a route, so that none is deleted before the transaction ends. Throws
 * llm.member_not_found.
 */
export async function lockMembers(database: ScopedStatements, members: readonly Member[]): Promise<void> {
  const own = [...new Set(members.flatMap(({ id, organizationId }) => (organizationId === null ? [] : id)))]
  if (own.length === 0) return
  const rows = await database.select(llmModels, {
    where: inArray(llmModels.id, own),
    orderBy: [asc(llmModels.id)],
    lock: true,
  })
  const missing = own.find((id) => !rows.some((row) => row.id === id))
  if (missing) throw fail('llm.member_not_found', { value: missing })
}
