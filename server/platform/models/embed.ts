import { withinTime } from '../net/exchange-bounds.ts'
import type { EmbeddingLimit, EmbeddingLimits } from './embedding-limits.ts'
import type { MediaTransport } from './exchange.ts'
import { notOffered, notVectors, tooSlow } from './failures.ts'
import { embedLocally } from './local-embedding.ts'
import { requestEmbeddings } from './openai-embeddings.ts'
import { pause } from './pause.ts'
import { bareName, callSdk, openGoogle } from './sdk.ts'
import {
  type EmbeddingPurpose,
  type Embeddings,
  ModelError,
  type ModelTarget,
  type ModelUsage,
  type Provider,
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
const OFFERED: readonly Provider[] = ['openai', 'openai-compatible', 'ollama', 'google']
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
 * of a batch before sending the batch. `limits` remembers what the model's server refuses.
 */
export async function embed(
  transport: MediaTransport,
  limits: EmbeddingLimits,
  target: ModelTarget,
  texts: string[],
  purpose: EmbeddingPurpose,
  signal: AbortSignal,
  sending?: (texts: readonly string[]) => void,
): Promise<Embeddings> {
  signal.throwIfAborted()
  if (target.provider === 'demo')
    return { vectors: await embedLocally(texts, signal), usage: { inputTokens: 0, outputTokens: 0 } }
  if (!OFFERED.includes(target.provider)) throw notOffered(target, 'embedding')
  const batches = batchesOf(texts.map((text) => prefixOf(target, purpose) + text))
  const answers: Embeddings[] = []
  const ending = new AbortController()
  const bounded = AbortSignal.any([signal, ending.signal])
  const call: EmbeddingCall = { ...transport, limits, target, purpose, signal: bounded }
  let next = 0
  const work = async (): Promise<void> => {
    for (let slot = next++; slot < batches.length; slot = next++) {
      bounded.throwIfAborted()
      sending?.(batches[slot] ?? [])
      answers[slot] = await askWithinLimits(call, batches[slot] ?? [])
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

/** A model, and everything that its requests need. */
interface EmbeddingCall extends MediaTransport {
  target: ModelTarget
  limits: EmbeddingLimits
  purpose: EmbeddingPurpose
  signal: AbortSignal
}

/**
 * Sends a batch in as many requests as its server's limits require. If the server refuses a request, sends half as many
 * texts at a time, down to one text. A single refused text is sent without optional fields. Rejects with the refusal of
 * a single text, which nothing more can mend. Some servers refuse large batches with an internal error, so the first
 * one is only repeated: it may have another cause, which must not limit the model.
 */
async function askWithinLimits(call: EmbeddingCall, texts: string[]): Promise<Embeddings> {
  const known = call.limits.of(call.target)
  const answers: Embeddings[] = []
  let limit = known
  let isGuess = false
  let hasRepeated = false
  for (let from = 0; from < texts.length; ) {
    const part = texts.slice(from, from + limit.textsMax)
    const attempt = await attemptRequest(call, part, limit)
    if (attempt.answer) {
      answers.push(attempt.answer)
      from += part.length
      // The number of texts was not what the server had refused.
      if (isGuess) limit = { ...limit, textsMax: known.textsMax }
      isGuess = false
      continue
    }
    if (attempt.refusal.isInternal && !hasRepeated) {
      hasRepeated = true
      continue
    }
    const next = mend(attempt.refusal, limit, part.length)
    if (!next) throw attempt.refusal.error
    isGuess = part.length === 1 && next.hasFormat !== limit.hasFormat
    limit = next
  }
  if (limit !== known) call.limits.learn(call.target, limit)
  return {
    vectors: answers.flatMap(({ vectors }) => vectors),
    usage: sumOf(answers.map(({ usage }) => usage)),
  }
}

interface EmbeddingRefusal {
  error: ModelError
  /** Beginning of the server's message. */
  words: string
  /** True for an internal error of the server, which the number of texts may cause. */
  isInternal: boolean
}

type Attempt = { answer: Embeddings; refusal?: never } | { answer?: never; refusal: EmbeddingRefusal }

/** Sends one request. Returns an error that concerns this request, and rejects with any other. */
async function attemptRequest(call: EmbeddingCall, texts: string[], limit: EmbeddingLimit): Promise<Attempt> {
  let words: string | undefined
  const onRefusal = (said: string): void => {
    words = said
  }
  try {
    const answer = await askPatiently(call, texts, limit, onRefusal)
    if (answer.vectors.length === texts.length) return { answer }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const isInternal = error.kind === 'unavailable' && words !== undefined && texts.length > 1
    if (error.kind !== 'request' && !isInternal) throw error
    return { refusal: { error, words: words ?? '', isInternal } }
  }
  if (call.target.provider === 'google') throw notVectors(call.target)
  // A server that takes one text may embed the first text of a list and ignore the others.
  return { refusal: { error: notVectors(call.target), words: '', isInternal: false } }
}

/** Returns a limit within which a refused request may succeed. Undefined if there is none. */
function mend(
  { error, words }: EmbeddingRefusal,
  limit: EmbeddingLimit,
  count: number,
): EmbeddingLimit | undefined {
  if (limit.hasFormat && /encoding.?format/i.test(words)) return { ...limit, hasFormat: false }
  if (count > 1) return { ...limit, textsMax: Math.ceil(count / 2) }
  if (error.kind !== 'request') return undefined
  if (limit.hasFormat) return { ...limit, hasFormat: false }
  return limit.asString ? undefined : { ...limit, asString: true }
}

/** Sends one request, and repeats it while the provider is busy. */
async function askPatiently(
  call: EmbeddingCall,
  texts: string[],
  limit: EmbeddingLimit,
  onRefusal: (words: string) => void,
): Promise<Embeddings> {
  const { target, purpose, signal, timeouts } = call
  const { embeddingMs, retryMs } = timeouts
  const late = (): Error => tooSlow(target, 'model.timeout_embedding', embeddingMs)
  for (let attempt = 0; ; attempt++) {
    try {
      const { embeddings, usage } = await withinTime(embeddingMs, late, signal, (bounded) =>
        target.provider === 'google'
          ? askGoogle(call, texts, bounded, onRefusal)
          : requestEmbeddings(call.net, target, texts, limit, bounded, onRefusal),
      )
      return { vectors: embeddings.map((numbers) => toVector(target, numbers)), usage }
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

async function askGoogle(
  { net, target, purpose }: EmbeddingCall,
  values: string[],
  abortSignal: AbortSignal,
  onRefusal: (words: string) => void,
) {
  const google = await openGoogle(net, target, ANSWER_BYTES_MAX, 'text', onRefusal)
  const { embeddings, usage } = await callSdk(target, 'embedding', async () =>
    google.embedding(bareName(target)).doEmbed({
      values,
      abortSignal,
      providerOptions: { google: { taskType: TASK_TYPES[purpose] } },
    }),
  )
  return { embeddings, usage: usageOf(usage?.tokens, undefined) }
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
