import { fail } from '#errors'
import type { ModelTarget } from '#platform/models/types.ts'
import type { ResolvedModel } from '../llm/index.ts'
import type { KbDependencies } from './dependencies.ts'

const LOCAL = 'local'
export const LOCAL_TARGET: ModelTarget = {
  provider: 'demo',
  model: LOCAL,
  baseUrl: '',
  apiKey: null,
  guarded: false,
}

/**
 * Finds an embedding model by its name or id. Returns null for the built-in model. Throws llm.not_found,
 * llm.inactive, llm.not_configured, kb.not_embedding.
 */
export async function findEmbeddingModel(
  { models }: Pick<KbDependencies, 'models'>,
  organizationId: string,
  nameOrId: string,
): Promise<ResolvedModel | null> {
  if (nameOrId === LOCAL) return null
  const model = await models.findNamed(organizationId, nameOrId)
  if (!model.capabilities.includes('embedding')) throw fail('kb.not_embedding')
  return model
}
