import { withinTime } from '../net/exchange-bounds.ts'
import { exchange, type MediaTransport } from './exchange.ts'
import { noMedia, notOffered, tooSlow } from './failures.ts'
import { authorization } from './openai.ts'
import type { ModelTarget, Speech, SpeechRequest } from './types.ts'

const SPEECH_BYTES_MAX = 64 * 1024 * 1024

/**
 * Speaks a text. Never retries, because the provider bills each attempt. Rejects with a ModelError on failure, or with
 * the signal's reason on abort. https://platform.openai.com/docs/api-reference/audio/createSpeech
 */
export async function generateSpeech(
  { net, timeouts }: MediaTransport,
  target: ModelTarget,
  { input, voice, format, instructions, speed }: SpeechRequest,
  signal: AbortSignal,
): Promise<Speech> {
  if (target.provider !== 'openai' && target.provider !== 'openai-compatible')
    throw notOffered(target, 'speech')
  const body = { model: target.model, input, voice, response_format: format, instructions, speed }
  const late = (): Error => tooSlow(target, 'model.timeout_speech', timeouts.speechMs)
  const { body: data } = await withinTime(timeouts.speechMs, late, signal, (bounded) =>
    exchange(net, target, {
      url: `${target.baseUrl}/audio/speech`,
      method: 'POST',
      headers: { ...authorization(target), 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(body)),
      bytesMax: SPEECH_BYTES_MAX,
      sent: 'text',
      signal: bounded,
    }),
  )
  if (data.length === 0) throw noMedia(target, 'speech')
  return { data, usage: null }
}
