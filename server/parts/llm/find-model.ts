import type { KeyedProvider } from '#config'
import { grouped } from '#database/grouped.ts'
import { UUID } from '#database/new-id.ts'
import type { ModelConfig } from '#database/schema/llm.ts'
import type { TenantSql } from '#database/tenant-sql.ts'
import { AppError, fail } from '#errors'
import { DEFAULT_BASE_URLS } from '#platform/models/index.ts'
import type { ModelTarget, Provider } from '#platform/models/types.ts'
import type { Services } from '#platform/services.ts'
import { type ModelKey, modelColumns, modelsOf, readModels } from './find-model-system.ts'
import { type Price, priceFor } from './price.ts'
import { contextWindowOf, modelOf, resolveRoute } from './resolve-route.ts'
import { capabilitiesOf } from './schemas.ts'

/** A model with everything needed to call it: a plain model, or a member of a route. */
export interface CallableModel extends Price {
  id: string
  name: string
  target: ModelTarget
}

/** A model or a route. The price of a route is that of its first member, until a member has answered. */
export interface ResolvedModel extends Price {
  id: string
  name: string
  /** The model itself, or the members of the route in the order in which to try them. */
  members: readonly [CallableModel, ...CallableModel[]]
  /** Milliseconds for the first output of each member but the last. Undefined for a plain model. */
  firstTokenMs?: number
  /** Maximum number of tokens in prompt and reply together. */
  contextWindow: number
  capabilities: readonly string[]
}

/** A model that an organization can call by name. */
export type UsableModel = Pick<StoredModel, 'id' | 'provider' | 'name'>

/** The organization and member whose defaults apply. Without a member, only the organization's default applies. */
export interface DefaultCaller {
  organizationId: string
  userId: string | null
}

export interface StoredModel {
  id: string
  organizationId: string | null
  name: string
  provider: string
  version: string
  isActive: boolean
  config: ModelConfig
  apiKey: string | null
  /** The connection whose key and base URL the model uses instead of its own. */
  connection: { id: string; apiKey: string | null; baseUrl: string | null } | null
  /** The members of a route, in order. Null for a plain model. */
  members: Omit<StoredModel, 'members'>[] | null
}

/** Maximum number of models read to find a default model or to list models by name. */
const CANDIDATES_MAX = 200
/** Matches the version suffix in a provider's model name: `-2024-11-20`, `-20241022`, `-001`, `-latest`. */
const VERSION_SUFFIX = /^-(?:latest|\d{3,4}|\d{6}|\d{8}|\d{4}-\d{2}-\d{2})$/
const GROUP_MAX = 100

/** Finds models that an organization may use: its own models and the models of the environment. */
export class ModelFinder {
  readonly #services: Services
  readonly #read: (keys: ModelKey) => Promise<StoredModel | undefined>

  constructor(services: Services) {
    this.#services = services
    const { database } = services
    this.#read = grouped((keys) => readModels(database, keys), GROUP_MAX)
  }

  /**
   * Finds a model of `organizationId` or of the environment, with the price that `payerId` pays. Throws
   * llm.not_found, llm.inactive, llm.not_configured, llm.no_member.
   */
  async find(organizationId: string, modelId: string, payerId = organizationId): Promise<ResolvedModel> {
    return this.open(await this.read(organizationId, modelId), payerId)
  }

  /** Reads a model of `organizationId` or of the environment. Throws llm.not_found. */
  async read(organizationId: string, modelId: string): Promise<StoredModel> {
    const row = await this.#read({ organizationId, modelId })
    if (!row) throw fail('llm.not_found', { value: modelId })
    return row
  }

  /** Resolves a model that the caller has read with modelAsJson. Throws the errors of `find`. */
  open(row: StoredModel, payerId: string): ResolvedModel {
    if (!row.isActive) throw fail('llm.inactive')
    return resolve(this.#services, row, payerId)
  }

  /**
   * Finds a model by id or name. If several models have the name, prefers the organization's own models, then the
   * oldest. Throws the errors of `find`.
   */
  async findNamed(organizationId: string, nameOrId: string): Promise<ResolvedModel> {
    if (UUID.test(nameOrId)) return this.find(organizationId, nameOrId.toLowerCase())
    const [row] = await this.#sqlOf(organizationId)<{ id: string }[]>`
      select id from llm_models
      where name = ${nameOrId} and (organization_id = ${organizationId} or organization_id is null)
      order by organization_id nulls last, id limit 1`
    if (!row) throw fail('llm.not_found', { value: nameOrId })
    return this.find(organizationId, row.id)
  }

  /**
   * Finds a model by a name that a client uses without knowing this installation's models. Accepts the model's name,
   * and the provider's name with or without its version suffix: `gpt-4o` matches `gpt-4o-2024-11-20` if there is no
   * `gpt-4o`. Prefers newer versions, and the organization's own models to the environment's models of the same
   * version. Skips models that cannot be called now if another one can. Throws the errors of `find`.
   */
  async findCalled(organizationId: string, called: string): Promise<ResolvedModel> {
    const sql = this.#sqlOf(organizationId)
    const rows = await sql<StoredModel[]>`
      select ${modelColumns(sql)} from llm_models m
      where (m.organization_id = ${organizationId} or m.organization_id is null)
        and (m.name = ${called} or starts_with(m.version, ${called}) or starts_with(m.config->>'model', ${called}))
      order by m.organization_id nulls last, m.id limit ${CANDIDATES_MAX}`
    const exact = rows.filter((row) => [row.name, row.version, row.config.model].includes(called))
    const dated = rows
      .filter((row) => VERSION_SUFFIX.test(modelOf(row).slice(called.length)))
      .sort((one, other) => (modelOf(one) < modelOf(other) ? 1 : -1))
    const [first] = exact.length > 0 ? exact : dated
    if (!first) throw fail('llm.not_found', { value: called })
    const usable = [...exact, ...dated].find(
      (row) => this.#resolveIfConfigured(row, organizationId) !== null && row.isActive,
    )
    return this.open(usable ?? first, organizationId)
  }

  /**
   * Finds the model for a caller who names none: the caller's own default, the organization's default, or the oldest
   * model. Own models of the organization precede those of the environment, and demo models come last. Skips models
   * that are inactive, not configured or lack a capability. Throws llm.none.
   */
  async findDefault(caller: DefaultCaller, ...capabilities: string[]): Promise<ResolvedModel> {
    for (const row of await this.#listActive(caller)) {
      const model = this.#resolveIfConfigured(row, caller.organizationId)
      if (model && capabilities.every((capability) => model.capabilities.includes(capability))) return model
    }
    throw fail('llm.none', { capability: capabilities.join(' and ') })
  }

  /** Returns the models that a caller can call now, in the order of `findDefault`. */
  async listUsable(caller: DefaultCaller): Promise<UsableModel[]> {
    const rows = await this.#listActive(caller)
    return rows.filter((row) => this.#resolveIfConfigured(row, caller.organizationId) !== null)
  }

  async #listActive({ organizationId, userId }: DefaultCaller): Promise<StoredModel[]> {
    const sql = this.#sqlOf(organizationId)
    return sql<StoredModel[]>`
      select ${modelColumns(sql)} from llm_models m
      left join llm_defaults o on o.organization_id = ${organizationId} and o.user_id is null and o.model_id = m.id
      left join llm_defaults p on p.organization_id = ${organizationId} and p.user_id = ${userId} and p.model_id = m.id
      where m.is_active and (m.organization_id = ${organizationId}
        or m.organization_id is null and m.provider = any(${environmentProviders(this.#services)}))
      order by p.id is null, o.id is null, m.provider = 'demo', m.organization_id nulls last, m.id
      limit ${CANDIDATES_MAX}`
  }

  #sqlOf(organizationId: string): TenantSql {
    const { database } = this.#services
    return modelsOf(database, organizationId)
  }

  #resolveIfConfigured(row: StoredModel, payerId: string): ResolvedModel | null {
    try {
      return resolve(this.#services, row, payerId)
    } catch (error) {
      if (error instanceof AppError) return null
      throw error
    }
  }
}

/** Resolves a model or route. Throws llm.not_configured, llm.no_member. */
export function resolve(services: ResolveDependencies, row: StoredModel, payerId: string): ResolvedModel {
  if (row.members) return resolveRoute(row, row.members, (member) => callableOf(services, member, payerId))
  const callable = callableOf(services, row, payerId)
  return {
    ...callable,
    members: [callable],
    contextWindow: contextWindowOf(row),
    capabilities: capabilitiesOf(row),
  }
}

/** Returns a plain model with its endpoint and price. Throws llm.not_configured. */
export function callableOf(
  services: ResolveDependencies,
  row: Omit<StoredModel, 'members'>,
  payerId: string,
): CallableModel {
  const { id, organizationId, name, apiKey, config } = row
  const provider = row.provider as Provider
  const stored = row.connection ?? { id, apiKey, baseUrl: config.base_url }
  const address = organizationId
    ? endpointOfTenant(services.secrets, provider, { ...stored, organizationId })
    : fromEnvironment(services, provider)
  const target: ModelTarget = {
    provider,
    model: modelOf(row),
    name,
    ...address,
    ...(config.omit && { omit: config.omit }),
  }
  return { id, name, target, ...priceFor(row, payerId) }
}

type ResolveDependencies = Pick<Services, 'config'> & { secrets: Pick<Services['secrets'], 'decrypt'> }

type Address = Pick<ModelTarget, 'baseUrl' | 'apiKey' | 'guarded' | 'owner'>

/** The stored key and address of a tenant's model or connection. The key is bound to the id. */
interface StoredAddress {
  id: string
  organizationId: string
  apiKey: string | null
  baseUrl: string | null | undefined
}

/**
 * Returns the endpoint of a tenant's model. It never contains a key or address of the environment, and its requests
 * always pass the SSRF guard. Throws llm.not_configured.
 */
export function endpointOfTenant(
  { decrypt }: ResolveDependencies['secrets'],
  provider: Provider,
  { id, organizationId: owner, apiKey: sealed, baseUrl: address }: StoredAddress,
): Address {
  const apiKey = sealed === null ? null : decrypt(sealed, id)
  const baseUrl = address ?? DEFAULT_BASE_URLS[provider]
  if (baseUrl === undefined || (apiKey === null && needsKey(provider)))
    throw fail('llm.not_configured', { provider })
  return { baseUrl: endpointOf(provider, baseUrl), apiKey, guarded: true, owner }
}

/** Returns whether a provider accepts only requests with an API key. */
export const needsKey = (provider: string): boolean =>
  provider !== 'demo' && provider !== 'openai-compatible' && provider !== 'ollama'

/** Returns the providers configured in the environment, or `demo` if there are none. */
export function environmentProviders({ config }: Pick<Services, 'config'>): Provider[] {
  const keyed = (Object.keys(config.providers) as KeyedProvider[]).filter(
    (provider) => config.providers[provider].apiKey !== null,
  )
  const found: Provider[] = config.ollamaBaseUrl ? [...keyed, 'ollama'] : keyed
  return found.length > 0 ? found : ['demo']
}

/** Returns the endpoint of a provider that the environment configures. Throws llm.not_configured. */
export function fromEnvironment({ config }: Pick<Services, 'config'>, provider: Provider): Address {
  if (provider === 'demo') return { baseUrl: '', apiKey: null, guarded: false }
  const { apiKey, baseUrl } =
    provider === 'ollama'
      ? { apiKey: null, baseUrl: config.ollamaBaseUrl }
      : config.providers[provider as KeyedProvider]
  const address = baseUrl ?? DEFAULT_BASE_URLS[provider]
  if (address === undefined || (apiKey === null && provider !== 'ollama'))
    throw fail('llm.not_configured', { provider })
  return { baseUrl: endpointOf(provider, address), apiKey, guarded: false }
}

/**
 * Resolves a model whose API key is in the request. Uses the address in the request, or else the provider's public
 * address. Never uses a key or address of the environment. Throws llm.base_url_needed.
 */
export function targetOf(given: {
  provider: Provider
  model: string
  apiKey: string
  baseUrl: string | undefined
}): ModelTarget {
  const { provider, model, apiKey, baseUrl } = given
  if (provider === 'demo') return { provider, model, baseUrl: '', apiKey: null, guarded: true }
  const address = baseUrl ?? DEFAULT_BASE_URLS[provider]
  if (address === undefined) throw fail('llm.base_url_needed', { provider })
  return { provider, model, baseUrl: endpointOf(provider, address), apiKey: apiKey || null, guarded: true }
}

/**
 * Normalizes an address for the adapters: removes trailing slashes, and appends `/v1` for Ollama's OpenAI-compatible
 * API.
 */
function endpointOf(provider: Provider, address: string): string {
  const bare = address.replace(/\/+$/, '')
  return provider === 'ollama' && !bare.endsWith('/v1') ? `${bare}/v1` : bare
}
