import type { ServerResponse } from 'node:http'
import type { Behaviour } from './behaviour.ts'
import { type Format, google, openAi } from './formats.ts'
import { play } from './media.ts'

export interface FoundEmbedding {
  format: Format
  model: string
  texts: string[]
  isBatch: boolean
}

interface EmbeddingRequest {
  model?: string
  input?: string[]
  content?: Content
  requests?: { content: Content }[]
}

interface Content {
  parts: { text: string }[]
}

/** Parses an embedding request. Returns undefined for other requests. */
export function findEmbedding(path: string, body: EmbeddingRequest | undefined): FoundEmbedding | undefined {
  if (path.endsWith('/v1/embeddings'))
    return { format: openAi, model: body?.model ?? '', texts: body?.input ?? [], isBatch: true }
  const [, model, call] = /\/v1beta\/models\/([^/:]+):(embedContent|batchEmbedContents)$/.exec(path) ?? []
  if (model === undefined) return undefined
  const contents = body?.requests?.map(({ content }) => content) ?? (body?.content ? [body.content] : [])
  const texts = contents.map(({ parts }) => parts.map(({ text }) => text).join(''))
  return { format: google, model, texts, isBatch: call === 'batchEmbedContents' }
}

/** Returns a vector that encodes the length and the first character of a text. */
export const emulatedVector = (text: string): number[] => [text.length, text.charCodeAt(0), 1, -2]

/** Responds to an embedding request with the behavior that the model's name selects. */
export function playEmbedding(
  response: ServerResponse,
  { format, model, texts, isBatch }: FoundEmbedding,
  behaviour: Behaviour,
  stats: { open: number; aborted: number },
): void {
  stats.open += 1
  response.on('close', () => {
    stats.open -= 1
    if (!response.writableFinished) stats.aborted += 1
  })
  if (behaviour.fault === 'hang') return
  const vectors = texts.map((text, place) => spoilt(emulatedVector(text), place, behaviour))
  if (behaviour.fault === 'fewer') vectors.pop()
  const json = JSON.stringify(
    format === google ? asGoogle(vectors, isBatch) : asOpenAi(model, vectors, behaviour),
  )
  const bytes = Buffer.from(json.replaceAll('"infinite"', '1e999'))
  const timer = setTimeout(() => play(response, bytes, 'application/json', behaviour), behaviour.firstTokenMs)
  response.on('close', () => clearTimeout(timer))
}

function spoilt(vector: number[], place: number, { fault }: Behaviour): unknown[] {
  if (fault === 'infinite') return ['infinite', ...vector.slice(1)]
  if (fault === 'null') return [null, ...vector.slice(1)]
  if (fault === 'zero') return vector.map(() => 0)
  return fault === 'uneven' && place > 0 ? [...vector, 1] : vector
}

const asGoogle = (vectors: unknown[][], isBatch: boolean): object =>
  isBatch ? { embeddings: vectors.map((values) => ({ values })) } : { embedding: { values: vectors[0] } }

function asOpenAi(model: string, vectors: unknown[][], { fault, noUsage, claims }: Behaviour): object {
  const data = vectors.map((embedding, index) => ({
    object: 'embedding',
    index: fault === 'twice' ? 0 : index,
    embedding,
  }))
  if (fault === 'shuffled') data.reverse()
  const tokens = claims ?? vectors.length * 3
  const usage = { prompt_tokens: tokens, total_tokens: tokens }
  return { object: 'list', data, model, ...(!noUsage && { usage }) }
}
