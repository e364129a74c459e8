import { and, eq, isNull, or } from 'drizzle-orm'
import type { KeyedProvider } from '#config'
import { llmModels } from '#database/schema/llm.ts'
import { fail } from '#errors'
import { DEFAULT_BASE_URLS, defaultContextWindow, guessCapabilities } from '#platform/models/index.ts'
import type { ModelTarget, Provider } from '#platform/models/types.ts'
import type { Rooms } from '#platform/rooms.ts'
import type { ModelRow } from './schemas.ts'

/** A model that can be called. */
export interface ResolvedModel {
  id: string
  target: ModelTarget
  inputRatio: number
  outputRatio: number
  /** Tokens, of prompt and reply together. */
  contextWindow: number
  capabilities: readonly string[]
}

/**
 * A model that the organization may use, its own or one of the environment's, with what it takes to call it.
 * Throws llm.not_found, llm.inactive, llm.not_configured.
 */
export async function findModel(
  rooms: Rooms,
  organizationId: string,
  modelId: string,
): Promise<ResolvedModel> {
  const [row] = await rooms.database.db
    .select()
    .from(llmModels)
    .where(
      and(
        eq(llmModels.id, modelId),
        or(eq(llmModels.organizationId, organizationId), isNull(llmModels.organizationId)),
      ),
    )
  if (!row) throw fail('llm.not_found')
  if (!row.isActive) throw fail('llm.inactive')
  return resolve(rooms, row)
}

export function resolve(rooms: Pick<Rooms, 'config' | 'secrets'>, row: ModelRow): ResolvedModel {
  const provider = row.provider as Provider
  const { config } = row
  const model = config.model ?? row.version
  return {
    id: row.id,
    target: { provider, model, ...(row.organizationId ? own(rooms, row) : fromEnvironment(rooms, provider)) },
    inputRatio: config.input_ratio ?? 1,
    outputRatio: config.output_ratio ?? 1,
    contextWindow: config.context_window ?? defaultContextWindow(provider, model),
    capabilities: config.capabilities ?? guessCapabilities(provider, model),
  }
}

type Address = Pick<ModelTarget, 'baseUrl' | 'apiKey' | 'guarded'>

/** A tenant's model never inherits a key of the environment, nor an address that only the operator may name. */
function own({ secrets }: Pick<Rooms, 'secrets'>, row: ModelRow): Address {
  const provider = row.provider as Provider
  const apiKey = row.apiKey === null ? null : secrets.decrypt(row.apiKey, row.id)
  const baseUrl = row.config.base_url ?? DEFAULT_BASE_URLS[provider]
  const keyless = provider === 'demo' || provider === 'openai-compatible' || provider === 'ollama'
  if (baseUrl === undefined || (apiKey === null && !keyless)) throw fail('llm.not_configured', { provider })
  return { baseUrl, apiKey, guarded: row.config.base_url !== undefined }
}

function fromEnvironment({ config }: Pick<Rooms, 'config'>, provider: Provider): Address {
  if (provider === 'demo') return { baseUrl: '', apiKey: null, guarded: false }
  const { apiKey, baseUrl } =
    provider === 'ollama'
      ? { apiKey: null, baseUrl: config.ollamaBaseUrl }
      : config.providers[provider as KeyedProvider]
  const address = baseUrl ?? DEFAULT_BASE_URLS[provider]
  if (address === undefined || (apiKey === null && provider !== 'ollama'))
    throw fail('llm.not_configured', { provider })
  return { baseUrl: address, apiKey, guarded: false }
}
