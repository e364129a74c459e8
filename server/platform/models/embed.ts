import { withinTime } from '../net/exchange-bounds.ts'
import type { MediaTransport } from './exchange.ts'
import { notVectors, tooSlow } from './failures.ts'
import { embedLocally } from './local-embedding.ts'
import { pause } from './pause.ts'
import { callSdk, openEmbeddingModel } from './sdk.ts'
import {
  type EmbeddingPurpose,
  type Embeddings,
  ModelError,
  type ModelTarget,
  type ModelUsage,
} from './types.ts'
import { usageOf } from './usage.ts'

/**
 * Maximum strings per request. OpenAI accepts 2,048 and Google 100, but parsing larger responses would block the
 * event loop.
 */
const TEXTS_A_REQUEST_MAX = 64
/** Maximum characters per request, because OpenAI accepts at most 300,000 tokens. A longer string is sent alone. */
const CHARACTERS_A_REQUEST_MAX = 200_000
const REQUESTS_AT_ONCE = 3
const ANSWER_BYTES_MAX = 32 * 1024 * 1024
/** Maximum dimensions of a stored vector. */
const DIMENSIONS_MAX = 16_000
/**
 * Maximum retries per request while the provider is busy. Queries are retried fewer times, because a user is waiting.
 */
const RETRIES_MAX: Record<EmbeddingPurpose, number> = { document: 5, query: 1 }
const PAUSE_MAX_MS: Record<EmbeddingPurpose, number> = { document: 60_000, query: 5_000 }

/**
 * Returns one vector per string, in input order. Sends the strings in batches, a few concurrently. If the provider is
 * busy (429 or 503), retries the batch after Retry-After or with exponential backoff. If a batch still fails, the
 * whole call fails. Rejects with a ModelError, or with the signal's reason on abort. Calls `sending` with the strings
 * of a batch before sending the batch.
 */
export async function embed(
  transport: MediaTransport,
  target: ModelTarget,
  texts: string[],
  purpose: EmbeddingPurpose,
  signal: AbortSignal,
  sending?: (texts: readonly string[]) => void,
): Promise<Embeddings> {
  signal.throwIfAborted()
  if (target.provider === 'demo')
    return { vectors: await embedLocally(texts, signal), usage: { inputTokens: 0, outputTokens: 0 } }
  const batches = batchesOf(texts.map((text) => prefixOf(target, purpose) + text))
  const answers: Embeddings[] = []
  const ending = new AbortController()
  const bounded = AbortSignal.any([signal, ending.signal])
  let next = 0
  const work = async (): Promise<void> => {
    for (let slot = next++; slot < batches.length; slot = next++) {
      bounded.throwIfAborted()
      sending?.(batches[slot] ?? [])
      answers[slot] = await askPatiently(transport, target, batches[slot] ?? [], purpose, bounded)
    }
  }
  try {
    await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, work))
  } catch (error) {
    ending.abort(error)
    signal.throwIfAborted()
    throw error
  }
  const vectors = answers.flatMap((answer) => answer.vectors)
  if (vectors.some((vector) => vector.length !== vectors[0]?.length)) throw notVectors(target)
  return { vectors, usage: sumOf(answers.map(({ usage }) => usage)) }
}

/** Returns whether the dimensions of a model's embeddings can be chosen. */
export const takesDimensions = ({ provider, model }: ModelTarget): boolean =>
  provider !== 'google' && /\btext-embedding-3-/.test(model)

function batchesOf(texts: string[]): string[][] {
  const batches: string[][] = []
  let characters = Number.POSITIVE_INFINITY
  for (const text of texts) {
    const isFull = characters + text.length > CHARACTERS_A_REQUEST_MAX
    if (isFull || batches.at(-1)?.length === TEXTS_A_REQUEST_MAX) {
      batches.push([])
      characters = 0
    }
    batches.at(-1)?.push(text)
    characters += text.length
  }
  return batches
}

async function askPatiently(
  transport: MediaTransport,
  target: ModelTarget,
  texts: string[],
  purpose: EmbeddingPurpose,
  signal: AbortSignal,
): Promise<Embeddings> {
  const { embeddingMs, retryMs } = transport.timeouts
  const late = (): Error => tooSlow(target, 'model.timeout_embedding', embeddingMs)
  for (let attempt = 0; ; attempt++) {
    try {
      return await withinTime(embeddingMs, late, signal, (bounded) =>
        ask(transport, target, texts, purpose, bounded),
      )
    } catch (error) {
      if (!isBusy(error)) throw error
      const pauseMs = error.retryAfterMs ?? retryMs * 2 ** attempt
      if (attempt === RETRIES_MAX[purpose] || pauseMs > PAUSE_MAX_MS[purpose]) throw error
      await pause(pauseMs, signal)
    }
  }
}

const isBusy = (error: unknown): error is ModelError =>
  error instanceof ModelError && (error.kind === 'rate_limited' || error.kind === 'overloaded')

const TASK_TYPES = { document: 'RETRIEVAL_DOCUMENT', query: 'RETRIEVAL_QUERY' } as const

async function ask(
  { net }: MediaTransport,
  target: ModelTarget,
  texts: string[],
  purpose: EmbeddingPurpose,
  abortSignal: AbortSignal,
): Promise<Embeddings> {
  const { provider, dimensions } = target
  const model = await openEmbeddingModel(net, target, ANSWER_BYTES_MAX)
  const { embeddings, usage, response } = await callSdk(target, 'embedding', async () =>
    model.doEmbed({
      values: texts,
      abortSignal,
      providerOptions: {
        google: { taskType: TASK_TYPES[purpose] },
        ...(dimensions !== undefined && { [provider]: { dimensions } }),
      },
    }),
  )
  const ordered = inOrder(embeddings, response?.body)
  if (ordered.length !== texts.length) throw notVectors(target)
  return {
    vectors: ordered.map((numbers) => toVector(target, numbers)),
    usage: usageOf(usage?.tokens, undefined),
  }
}

/** Sorts embeddings by the response's `index` fields (OpenAI format), which the SDK ignores. */
function inOrder(embeddings: number[][], body: unknown): number[][] {
  const { data } = (body ?? {}) as { data?: { index?: unknown }[] }
  if (!Array.isArray(data) || data.every(({ index }, slot) => index === undefined || index === slot))
    return embeddings
  const ordered: number[][] = []
  embeddings.forEach((numbers, slot) => {
    const index = Number(data[slot]?.index)
    if (index >= 0 && index < embeddings.length) ordered[index] = numbers
  })
  return ordered.filter((numbers) => numbers !== undefined)
}

/** Normalizes a vector to length 1, so that the dot product of two vectors is their cosine similarity. */
function toVector(target: ModelTarget, numbers: number[]): Float32Array {
  let squares = 0
  for (const value of numbers) squares += value * value
  const length = Math.sqrt(squares)
  if (!(length > 0 && length < Number.POSITIVE_INFINITY) || numbers.length > DIMENSIONS_MAX)
    throw notVectors(target)
  return Float32Array.from(numbers, (value) => value / length)
}

function sumOf(usages: (ModelUsage | null)[]): ModelUsage | null {
  if (usages.length === 0) return { inputTokens: 0, outputTokens: 0 }
  let inputTokens = 0
  for (const usage of usages) {
    if (!usage) return null
    inputTokens += usage.inputTokens
  }
  return { inputTokens, outputTokens: 0 }
}

/**
 * Returns the prefix that an open model expects before each string. The servers that run such models don't add the
 * prefix.
 */
function prefixOf({ provider, model }: ModelTarget, purpose: EmbeddingPurpose): string {
  if (provider !== 'ollama' && provider !== 'openai-compatible') return ''
  return PREFIXES.find(([pattern]) => pattern.test(model))?.[1][purpose] ?? ''
}

/** Prefixes from the model cards. */
const PREFIXES: readonly (readonly [RegExp, Record<EmbeddingPurpose, string>])[] = [
  [/nomic-embed-text/i, { document: 'search_document: ', query: 'search_query: ' }],
  [
    /e5-.*instruct/i,
    { document: '', query: 'Instruct: Retrieve passages that answer the question\nQuery: ' },
  ],
  [/\be5-/i, { document: 'passage: ', query: 'query: ' }],
  [
    /mxbai-embed-large|\bbge-.*-en\b|arctic-embed/i,
    { document: '', query: 'Represent this sentence for searching relevant passages: ' },
  ],
]
