import type { ImageModel } from 'ai'
import { reasonFor } from '#errors'
import type { Net } from '../net/index.ts'
import { type ExchangeRequest, exchange } from './exchange.ts'
import { noMedia, notFetchable, notItsFormat, notOffered, unsendableKey } from './failures.ts'
import { addressOf } from './transport.ts'
import { type MediaKind, ModelError, type ModelTarget } from './types.ts'

/*
 * The AI SDK is used only outside the token path. Loading the SDK takes a large part of a second, so it is imported
 * on first use. All SDK requests go through sdkFetch.
 */

const PROMPT: ExchangeRequest['sent'] = 'prompt'

export const loadSdk = (): Promise<typeof import('ai')> => import('ai')

/**
 * Returns an image model whose responses are limited to `bytesMax` bytes. Throws a ModelError if the provider has no
 * image models.
 */
export async function openImageModel(net: Net, target: ModelTarget, bytesMax: number): Promise<ImageModel> {
  const { baseUrl: baseURL, apiKey } = target
  const fetch = sdkFetch(net, target, bytesMax)
  switch (target.provider) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI({ baseURL, apiKey: apiKey ?? '', fetch }).image(target.model)
    }
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({
        name: 'openai-compatible',
        baseURL,
        fetch,
        ...(apiKey !== null && { apiKey }),
      }).imageModel(target.model)
    }
    case 'google': {
      const model = bareName(target)
      // For Google, the SDK supports only Gemini image models. Google has shut down Imagen.
      if (!model.startsWith('gemini-'))
        throw new ModelError(reasonFor('model.imagen'), { kind: 'configuration' })
      return (await openGoogle(net, target, bytesMax)).image(model)
    }
    default:
      throw notOffered(target, 'image')
  }
}

/**
 * Returns the SDK's Google provider, for Gemini and Veo models. Calls `onRefusal` with the beginning of the body of an
 * error status.
 */
export async function openGoogle(
  net: Net,
  target: ModelTarget,
  bytesMax: number,
  sent = PROMPT,
  onRefusal?: ExchangeRequest['onRefusal'],
) {
  const fetch = sdkFetch(net, target, bytesMax, sent, onRefusal)
  const { createGoogle } = await import('@ai-sdk/google')
  return createGoogle({ baseURL: target.baseUrl, apiKey: target.apiKey ?? '', fetch })
}

/** Removes the prefix `models/`, which Google's list of models adds to names. */
export const bareName = ({ model }: ModelTarget): string => model.replace(/^models\//, '')

/**
 * Runs an SDK call and throws every failure as a ModelError. An error from `exchange` is unwrapped. Other errors mean
 * that the provider generated nothing, that the result cannot be downloaded, or that the response has an unexpected
 * format.
 */
export async function callSdk<Result>(
  target: ModelTarget,
  kind: MediaKind,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    throw describeSdkFailure(target, kind, error as Error)
  }
}

function describeSdkFailure(target: ModelTarget, kind: MediaKind, error: Error): ModelError {
  for (let current: unknown = error; current instanceof Error; current = current.cause)
    if (current instanceof ModelError) return current
  if (error.name === 'AI_NoImageGeneratedError') return noMedia(target, kind, reasonOf(error))
  if (error.name === 'GOOGLE_VIDEO_GENERATION_ERROR') return noMedia(target, kind)
  if (error.name === 'AI_DownloadError') return notFetchable(target)
  return notItsFormat(target, error)
}

/** Returns Gemini's reason for not generating an image, such as IMAGE_SAFETY, or '' without a reason. */
function reasonOf(error: Error): string {
  const { calls } = error as { calls?: { providerMetadata?: { google?: GoogleReasons } }[] }
  const { finishReason, promptFeedback } = calls?.[0]?.providerMetadata?.google ?? {}
  const reason = promptFeedback?.blockReason ?? finishReason
  return typeof reason === 'string' && reason !== 'STOP' ? reason : ''
}

interface GoogleReasons {
  finishReason?: unknown
  promptFeedback?: { blockReason?: unknown } | null
}

/**
 * Returns a `fetch` for the SDK that goes through `exchange`. Throws a ModelError if the base URL or the API key is
 * unusable.
 */
function sdkFetch(
  net: Net,
  target: ModelTarget,
  bytesMax: number,
  sent = PROMPT,
  onRefusal?: ExchangeRequest['onRefusal'],
): typeof fetch {
  addressOf(net, target, '')
  if (/[^\t\x20-\x7e\x80-\xff]/.test(target.apiKey ?? ''))
    throw new ModelError(unsendableKey(target.provider), { kind: 'configuration' })
  return async (input, init) => {
    const request = new Request(input, init)
    // Without a key, the SDK would read a key from the environment. It was therefore created with an empty key, whose
    // headers are removed here.
    if (target.apiKey === null)
      for (const name of ['authorization', 'x-goog-api-key']) request.headers.delete(name)
    const { status, headers, body } = await exchange(net, target, {
      url: request.url,
      method: request.method === 'GET' ? 'GET' : 'POST',
      headers: Object.fromEntries(request.headers),
      body: request.body && Buffer.from(await request.arrayBuffer()),
      bytesMax,
      sent,
      ...(onRefusal && { onRefusal }),
      takesRedirect: request.redirect === 'manual',
      signal: init?.signal ?? request.signal,
    })
    const isEmpty = status >= 300 || body.length === 0
    return new Response(isEmpty ? null : new Uint8Array(body), { status, headers: asHeaders(headers) })
  }
}

const asHeaders = (headers: Record<string, string | string[] | undefined>): Headers =>
  new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]))
