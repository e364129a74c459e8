import type { Net } from '../net/index.ts'
import { exchange } from './exchange.ts'
import { describeErrorEvent, type ErrorFields, errorIn, notItsFormat } from './failures.ts'
import { authorization } from './openai.ts'
import type { ModelError, ModelTarget, ModelUsage } from './types.ts'
import { usageOf } from './usage.ts'

const ANSWER_BYTES_MAX = 32 * 1024 * 1024

/** How a server wants its requests. Servers of this format differ in what they refuse. */
export interface EmbeddingManner {
  /** True to send `encoding_format`, so that servers with another default send numbers. */
  hasFormat: boolean
  /** True to send a single text as a string instead of a list. */
  asString: boolean
}

interface Answer {
  data: { index?: unknown; embedding: number[] | string }[]
  usage?: { prompt_tokens?: unknown; total_tokens?: unknown } | null
}

/**
 * Embeds texts in one request of OpenAI's format, and returns the vectors in input order. Calls `onRefusal` with the
 * body of an error status. Rejects with a ModelError, or with the signal's reason on abort.
 * https://platform.openai.com/docs/api-reference/embeddings/create
 */
export async function requestEmbeddings(
  net: Net,
  target: ModelTarget,
  texts: readonly string[],
  manner: EmbeddingManner,
  signal: AbortSignal,
  onRefusal: (words: string) => void,
): Promise<{ embeddings: number[][]; usage: ModelUsage | null }> {
  const body = {
    model: target.model,
    input: manner.asString && texts.length === 1 ? texts[0] : texts,
    ...(manner.hasFormat && { encoding_format: 'float' }),
    dimensions: target.dimensions,
  }
  const answer = await exchange(net, target, {
    url: `${target.baseUrl}/embeddings`,
    method: 'POST',
    headers: { ...authorization(target), 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
    bytesMax: ANSWER_BYTES_MAX,
    sent: 'text',
    onRefusal,
    signal,
  })
  const { data, usage } = parse(target, answer.body, onRefusal)
  return {
    embeddings: inOrder(data).map(({ embedding }) =>
      typeof embedding === 'string' ? numbersOf(embedding) : embedding,
    ),
    usage: usageOf(usage?.prompt_tokens ?? usage?.total_tokens, undefined),
  }
}

/** Some gateways answer 200 with an error. */
function parse(target: ModelTarget, body: Buffer, onRefusal: (words: string) => void): Answer {
  let failure: ModelError | undefined
  try {
    const answer = JSON.parse(body.toString()) as Answer & ErrorFields
    const error = errorIn(answer, Array.isArray(answer.data))
    if (error !== undefined) {
      failure = describeErrorEvent(target, error)
      onRefusal(JSON.stringify(error))
    } else if (answer.data.every(({ embedding }) => isVector(embedding))) return answer
  } catch (error) {
    throw notItsFormat(target, error as Error)
  }
  if (failure) throw failure
  throw notItsFormat(target, new TypeError('an embedding is neither a list of numbers nor base64'))
}

const isVector = (value: unknown): boolean =>
  typeof value === 'string' || (Array.isArray(value) && value.every(Number.isFinite))

/** Sorts results by `index`. Some servers number every result 0 and rely on the position. */
function inOrder(data: Answer['data']): Answer['data'] {
  const places = new Set(data.map(({ index }) => index))
  const areUsable = places.size === data.length && data.every(({ index }) => Number.isInteger(index))
  return areUsable ? data.toSorted((a, b) => Number(a.index) - Number(b.index)) : data
}

/** Decodes base64 of little-endian 32-bit floats, which some servers send whatever was requested. */
function numbersOf(text: string): number[] {
  const bytes = Buffer.from(text, 'base64')
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readFloatLE(at * 4))
}
