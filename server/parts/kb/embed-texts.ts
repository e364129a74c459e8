import type { Payer } from '#platform/ledger/ledger.ts'
import type { EmbeddingPurpose } from '#platform/models/types.ts'
import type { Services } from '#platform/services.ts'
import type { ModelFinder, PaidCalls } from '../llm/index.ts'
import { LOCAL_TARGET } from './embedding-model.ts'

interface EmbeddingDependencies {
  services: Pick<Services, 'models'>
  models: ModelFinder
  calls: PaidCalls
}

/**
 * The embedding model, and the organization that owns the embedded text. `embeddingModelId` is null for the built-in
 * model, which is free.
 */
export interface EmbeddingOf {
  organizationId: string
  embeddingModelId: string | null
}

/**
 * Returns one vector per text, in the same order. Charges the payer for the provider's tokens. Throws a ModelError,
 * the signal's reason, billing.insufficient_credits, llm.not_found, llm.inactive or llm.not_configured.
 */
export async function embedTexts(
  { services, models, calls }: EmbeddingDependencies,
  payer: Payer,
  { organizationId, embeddingModelId }: EmbeddingOf,
  texts: string[],
  purpose: EmbeddingPurpose,
  signal: AbortSignal,
): Promise<Float32Array[]> {
  if (texts.length === 0) return []
  if (embeddingModelId === null)
    return (await services.models.embed(LOCAL_TARGET, texts, purpose, signal)).vectors
  const model = await models.find(organizationId, embeddingModelId, payer.organizationId)
  return (await calls.embed(payer, model, texts, purpose, signal)).vectors
}

/** Unrelated sentences in several languages. */
const UNRELATED = [
  'The tide table for the harbour is printed on green paper every spring.',
  'To shorten a string in this library, call the method with a negative index.',
  'Das Rezept verlangt zwei Eier, etwas Mehl und eine Prise Muskat.',
  'Quarterly revenue rose by four per cent because of lower shipping costs.',
  'Le musée ferme ses portes à dix-huit heures pendant la restauration.',
  'Patients with a known allergy should not be given this antibiotic.',
  'La montaña más alta de la isla se puede subir en tres horas.',
  'The goalkeeper was sent off two minutes before the final whistle.',
]

/**
 * Measures the mean similarity of unrelated sentences under a model. For some models it is far above zero. Searches
 * count only similarity above this floor, so that scores are comparable across models.
 */
export async function measureFloor(
  deps: EmbeddingDependencies,
  of: EmbeddingOf,
  signal: AbortSignal,
): Promise<number> {
  const vectors = await embedTexts(deps, unattributed(of), of, UNRELATED, 'document', signal)
  let sum = 0
  let pairs = 0
  for (const [index, one] of vectors.entries())
    for (const other of vectors.slice(index + 1)) {
      sum += one.reduce((product, value, at) => product + value * (other[at] as number), 0)
      pairs += 1
    }
  return Math.min(Math.max(sum / pairs, 0), FLOOR_MAX)
}

/** Returns the payer for background work: an organization without a user or API key. */
export const unattributed = ({ organizationId }: { organizationId: string }): Payer => ({
  organizationId,
  userId: null,
  apiKeyId: null,
})

/**
 * Maximum floor, so that searches never divide by zero. A model with a higher floor barely distinguishes documents.
 */
const FLOOR_MAX = 0.95
