import { fail, sentence } from '#errors'
import { decodeTokens, takesDimensions } from '#platform/models/index.ts'
import { ModelError } from '#platform/models/types.ts'
import type { Sender } from '../agents/index.ts'
import { modelFailure } from '../llm/index.ts'
import type { EmbeddingRequest } from './embedding-schemas.ts'
import type { OpenAiDependencies } from './generate.ts'

const EMBEDDING_MS = 120_000

/**
 * Implements OpenAI's embeddings for embedding models. https://platform.openai.com/docs/api-reference/embeddings A
 * client disconnect aborts the call; texts already sent to the provider are charged. Throws openai.model_not_found,
 * openai.no_agent_embeddings, kb.not_embedding, server.unavailable, and the errors of modelFailure.
 */
export async function embedTexts(
  { services, models, calls }: Pick<OpenAiDependencies, 'services' | 'models' | 'calls'>,
  { scope, deployment }: Sender,
  { model: name, input, encoding_format: format, dimensions }: EmbeddingRequest,
  left: AbortSignal,
) {
  if (deployment) throw fail('openai.no_agent_embeddings')
  const model = await models.findNamed(scope.organizationId, name)
  if (!model.capabilities.includes('embedding')) throw fail('kb.not_embedding')
  const texts = await textsOf(input)
  const [member] = model.members
  const isChosen = dimensions && takesDimensions(member.target)
  const chosen = isChosen
    ? { ...model, members: [{ ...member, target: { ...member.target, dimensions } }] as const }
    : model
  const { vectors, usage } = await services.draining
    .runSingle((late) => {
      const ends = AbortSignal.any([AbortSignal.timeout(EMBEDDING_MS), late])
      return calls.embed(scope, chosen, texts, 'document', ends, left)
    })
    .catch((error: unknown) => {
      if (left.aborted) throw fail('request.abandoned')
      if (error instanceof ModelError) throw modelFailure(error)
      throw error
    })
  const length = vectors[0]?.length ?? 0
  if (dimensions && dimensions !== length)
    throw fail('request.invalid', { reason: sentence('openai.dimensions', { length }) })
  return {
    object: 'list' as const,
    data: vectors.map((vector, index) => ({
      object: 'embedding' as const,
      index,
      embedding: format === 'base64' ? toBase64(vector) : [...vector],
    })),
    model: name,
    usage: { prompt_tokens: usage.inputTokens, total_tokens: usage.inputTokens },
  }
}

/**
 * Returns the texts of an input. Some clients send tokens instead, in the encoding of OpenAI's embedding models, which
 * other models cannot read. Throws request.invalid for tokens that are not in the encoding.
 */
async function textsOf(input: EmbeddingRequest['input']): Promise<string[]> {
  if (typeof input === 'string') return [input]
  const inputs = typeof input[0] === 'number' ? [input as number[]] : (input as string[] | number[][])
  const texts: string[] = []
  for (const [index, one] of inputs.entries()) {
    const text = typeof one === 'string' ? one : await decodeTokens(one)
    if (text === undefined) throw fail('request.invalid', { reason: sentence('openai.tokens', { index }) })
    texts.push(text)
  }
  return texts
}

/** Encodes 32-bit floats as base64. The byte order is little-endian, as in OpenAI's API. */
const toBase64 = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')
