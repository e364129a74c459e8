import { openAsBlob } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { FormData } from 'undici'
import { reasonFor } from '#errors'
import { withinTime } from '../net/exchange-bounds.ts'
import { demoTranscription } from './demo-media.ts'
import { exchange, type MediaTransport } from './exchange.ts'
import { describeRefusal, notItsFormat, notOffered, tooSlow } from './failures.ts'
import { authorization } from './openai.ts'
import { bareName, callSdk, openGoogle } from './sdk.ts'
import { ModelError, type ModelTarget, type Recording, type Transcription } from './types.ts'
import { usageOf } from './usage.ts'

const ANSWER_BYTES_MAX = 4 * 1024 * 1024
/** Maximum audio size for Gemini. The file is sent from memory as Base64, and a request may have at most 20 MB. */
const GOOGLE_RECORDING_BYTES_MAX = 14 * 1024 * 1024

/** Returns the duration of an audio file in seconds, or null if the file doesn't state a duration. */
export type DurationOf = (recording: Recording) => Promise<number | null>

/**
 * Transcribes an audio file. `language` is the tag of the expected language (`en`, `en-US`). Without it, the model
 * detects the language. Rejects with a ModelError on failure, or with the signal's reason on abort.
 */
export async function transcribe(
  transport: MediaTransport,
  target: ModelTarget,
  recording: Recording,
  { language, durationOf }: { language?: string; durationOf: DurationOf },
  signal: AbortSignal,
): Promise<Transcription> {
  const { transcriptionMs } = transport.timeouts
  if (target.provider === 'demo') return demoTranscription(recording, await durationOf(recording))
  const late = (): Error => tooSlow(target, 'model.timeout_transcription', transcriptionMs)
  const transcription = await withinTime(transcriptionMs, late, signal, (bounded) => {
    switch (target.provider) {
      case 'openai':
      case 'openai-compatible':
        return askOpenAi(transport, target, recording, language, bounded)
      case 'google':
        return askGoogle(transport, target, recording, language, bounded)
      default:
        throw notOffered(target, 'transcription')
    }
  })
  return { ...transcription, durationSeconds: transcription.durationSeconds ?? (await durationOf(recording)) }
}

/**
 * Calls the transcription endpoint and streams the file from disk. Doesn't use the SDK, which reads the whole file
 * into memory and supports only OpenAI. https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
async function askOpenAi(
  { net }: MediaTransport,
  target: ModelTarget,
  recording: Recording,
  language: string | undefined,
  signal: AbortSignal,
): Promise<Transcription> {
  const { extension, type } = formatOf(recording)
  const body = new FormData()
  body.append('model', target.model)
  if (language !== undefined) body.append('language', primarySubtag(language))
  // verbose_json adds the language and the duration, but only Whisper models support it.
  body.append('response_format', /whisper/i.test(target.model) ? 'verbose_json' : 'json')
  body.append('file', await openAsBlob(recording.path, { type }), `recording.${extension}`)
  const answer = await exchange(net, target, {
    url: `${target.baseUrl}/audio/transcriptions`,
    method: 'POST',
    headers: authorization(target),
    body,
    bytesMax: ANSWER_BYTES_MAX,
    sent: 'recording',
    signal,
  })
  return readOpenAi(target, answer.body.toString())
}

interface OpenAiAnswer {
  text?: unknown
  /** English name of the language, such as `german`. */
  language?: unknown
  duration?: unknown
  usage?: { input_tokens?: unknown; output_tokens?: unknown; seconds?: unknown } | null
}

function readOpenAi(target: ModelTarget, body: string): Transcription {
  const { text, language, duration, usage } = parse(target, body)
  if (typeof text !== 'string') throw notItsFormat(target, new TypeError('The response has no text'))
  const seconds = Number(duration ?? usage?.seconds ?? Number.NaN)
  return {
    text: storable(text),
    language: codeOf(language),
    durationSeconds: seconds >= 0 && seconds < Number.POSITIVE_INFINITY ? seconds : null,
    usage: usageOf(usage?.input_tokens, usage?.output_tokens),
  }
}

function parse(target: ModelTarget, body: string): OpenAiAnswer {
  try {
    return (JSON.parse(body) ?? {}) as OpenAiAnswer
  } catch (error) {
    throw notItsFormat(target, error as Error)
  }
}

/**
 * Transcribes with a Gemini model through the SDK. Calls the model directly, because the SDK's `transcribe` detects
 * the audio type again and treats silence as a failure.
 */
async function askGoogle(
  { net }: MediaTransport,
  target: ModelTarget,
  recording: Recording,
  language: string | undefined,
  abortSignal: AbortSignal,
): Promise<Transcription> {
  const { path } = recording
  const { type: mediaType } = formatOf(recording)
  if (target.model.includes('-live'))
    throw new ModelError(reasonFor('model.live_sound_only', { model: target.model }))
  if ((await stat(path)).size > GOOGLE_RECORDING_BYTES_MAX)
    throw describeRefusal(target, { status: 413, words: '' }, 'recording')
  const model = (await openGoogle(net, target, ANSWER_BYTES_MAX, 'recording')).transcription(bareName(target))
  const audio = await readFile(path)
  const { text, providerMetadata } = await callSdk(target, 'transcription', async () =>
    model.doGenerate({
      audio,
      mediaType,
      ...(language !== undefined && { providerOptions: { google: { languageCodes: [language] } } }),
      abortSignal,
    }),
  )
  const usage = providerMetadata?.['google']?.['usage'] as
    | { total_input_tokens?: unknown; total_output_tokens?: unknown }
    | undefined
  return {
    text: storable(text),
    language: null,
    durationSeconds: null,
    usage: usageOf(usage?.total_input_tokens, usage?.total_output_tokens),
  }
}

const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed().trim()

const primarySubtag = (language: string): string => language.split('-', 1)[0] ?? language

/** Returns the code of a language. Accepts English names and codes. Returns null for anything else. */
function codeOf(language: unknown): string | null {
  if (typeof language !== 'string') return null
  const name = language.toLowerCase()
  return /^[a-z]{2,3}$/.test(name) ? name : (languageCodes().get(name) ?? null)
}

let codes: Map<string, string> | undefined

/** Returns a map from English language names to two-letter codes. */
function languageCodes(): Map<string, string> {
  if (codes) return codes
  const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  codes = new Map(
    letters
      .flatMap((first) => letters.map((second) => first + second))
      .map((code) => [names.of(code)?.toLowerCase() ?? code, code]),
  )
  return codes
}

interface SoundFormat {
  /** File extension. OpenAI detects the format by the extension and ignores the MIME type. */
  extension: string
  /** The only MIME type that Gemini accepts for this format. */
  type: string
}

/** Returns the audio format of a content type. Throws a ModelError for unsupported types. */
function formatOf({ contentType }: Recording): SoundFormat {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const format = FORMATS.find(([pattern]) => pattern.test(type))?.[1]
  if (format) return format
  throw new ModelError(reasonFor('model.recording_type'), { kind: 'request' })
}

const FORMATS: readonly (readonly [RegExp, SoundFormat])[] = [
  [/^audio\/(mpeg|mp3|x-mp3|x-mpeg)$/, { extension: 'mp3', type: 'audio/mp3' }],
  [/^audio\/(wav|x-wav|wave|vnd\.wave)$/, { extension: 'wav', type: 'audio/wav' }],
  [/^(audio|video)\/(mp4|m4a|x-m4a)$/, { extension: 'm4a', type: 'audio/mp4' }],
  [/^(audio|application)\/(ogg|opus)$/, { extension: 'ogg', type: 'audio/ogg' }],
  [/^audio\/(flac|x-flac)$/, { extension: 'flac', type: 'audio/flac' }],
  [/^(audio|video)\/webm$/, { extension: 'webm', type: 'audio/webm' }],
]
