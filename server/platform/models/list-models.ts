import { StringDecoder } from 'node:string_decoder'
import { anthropicHeaders } from './anthropic.ts'
import { describeConnectionFailure, describeRefusal, notAnEvent, tooMuch } from './failures.ts'
import { googleHeaders } from './google.ts'
import { authorization } from './openai.ts'
import { addressOf, type Transport } from './transport.ts'
import type { ModelTarget } from './types.ts'

export interface FoundModel {
  /** The provider's name for the model. */
  model: string
  /** Context window in tokens, if the provider reports one. */
  contextWindow?: number
}

const MODELS_MAX = 500
const NAME_CHARACTERS_MAX = 200
const ANSWER_BYTES_MAX = 4 * 1024 * 1024
const ERROR_BODY_BYTES_MAX = 64 * 1024

/** Lists the models that a provider offers, from the first page only. Rejects with a ModelError on failure. */
export async function listModels(transport: Transport, target: ModelTarget): Promise<FoundModel[]> {
  switch (target.provider) {
    case 'demo':
      return []
    case 'anthropic':
      return found(await getJson(transport, target, '/models?limit=1000', anthropicHeaders(target)))
    case 'google':
      return found(await getJson(transport, target, '/models?pageSize=1000', googleHeaders(target)))
    default:
      return found(await getJson(transport, target, '/models', authorization(target)))
  }
}

/** An entry of a provider's model list. */
interface ListedModel {
  /** Name of the model. Gemini sends the name in `name` instead: `models/gemini-…`. */
  id?: unknown
  name?: unknown
  supportedGenerationMethods?: unknown
  /**
   * Context window in tokens. The following fields are from Gemini, Anthropic, vLLM, OpenRouter and Groq, in this
   * order.
   */
  inputTokenLimit?: unknown
  max_input_tokens?: unknown
  max_model_len?: unknown
  context_length?: unknown
  context_window?: unknown
}

function found(answer: unknown): FoundModel[] {
  const { data, models } = (answer ?? {}) as { data?: unknown; models?: unknown }
  const listed = [data, models].find(Array.isArray) ?? []
  return listed.flatMap((model: unknown) => foundModel((model ?? {}) as ListedModel)).slice(0, MODELS_MAX)
}

function foundModel(listed: ListedModel): FoundModel[] {
  const methods = listed.supportedGenerationMethods
  if (Array.isArray(methods) && !GOOGLE_METHODS.some((method) => methods.includes(method))) return []
  const name = listed.id ?? listed.name
  if (typeof name !== 'string' || name === '' || name.length > NAME_CHARACTERS_MAX) return []
  const contextWindow =
    listed.inputTokenLimit ??
    listed.max_input_tokens ??
    listed.max_model_len ??
    listed.context_length ??
    listed.context_window
  return [
    {
      model: name.replace(/^models\//, '').toWellFormed(),
      ...(isTokens(contextWindow) && { contextWindow }),
    },
  ]
}

/** A listed Google model must support one of these methods. Veo models support the second method. */
const GOOGLE_METHODS = ['generateContent', 'predictLongRunning']

const isTokens = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0

/**
 * Returns a provider's JSON response. Throws a ModelError on failure, or if the response is too large or too slow.
 */
async function getJson(
  { net, timeouts }: Transport,
  target: ModelTarget,
  path: string,
  headers: Record<string, string>,
): Promise<unknown> {
  const url = addressOf(net, target, path)
  try {
    const { statusCode, body } = await (target.guarded ? net.guarded : net.open).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers,
      signal: AbortSignal.timeout(timeouts.connectMs),
    })
    if (statusCode !== 200) {
      await body.dump({ limit: ERROR_BODY_BYTES_MAX })
      throw describeRefusal({ ...target, model: 'its list of models' }, { status: statusCode, words: '' })
    }
    return parse(target, await read(target, body))
  } catch (error) {
    throw describeConnectionFailure(target, error as Error, false)
  }
}

async function read(target: ModelTarget, body: AsyncIterable<Buffer>): Promise<string> {
  const decoder = new StringDecoder('utf8')
  let text = ''
  for await (const chunk of body) {
    text += decoder.write(chunk)
    if (text.length > ANSWER_BYTES_MAX) throw tooMuch(target)
  }
  return text
}

function parse(target: ModelTarget, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw notAnEvent(target, cause)
  }
}
