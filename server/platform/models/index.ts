import { assertOutsideTransaction } from '#database/ambient.ts'
import type { Net } from '../net/index.ts'
import type { Pacer } from '../sweeps/pacer.ts'
import { type ModelCall, type ModelWatch, UNWATCHED } from '../telemetry/watch-models.ts'
import { streamAnthropic } from './anthropic.ts'
import { streamDemo } from './demo.ts'
import { embed } from './embed.ts'
import { EmbeddingLimits } from './embedding-limits.ts'
import type { MediaTransport } from './exchange.ts'
import { noText, tooSlow } from './failures.ts'
import { streamGoogle } from './google.ts'
import { ModelHealth } from './health.ts'
import { type FoundModel, listModels } from './list-models.ts'
import { generateImage, generateVideo } from './media.ts'
import { streamOpenAi } from './openai.ts'
import { withAccepted } from './parameters.ts'
import { ReplyText } from './reply-text.ts'
import { generateSpeech } from './speech.ts'
import { type DurationOf, transcribe } from './transcribe.ts'
import type { Transport } from './transport.ts'
import { withValidTurns } from './turns.ts'
import {
  type ContentPart,
  type EmbeddingPurpose,
  type Embeddings,
  type GeneratedMedia,
  type ImageRequest,
  type MediaTimeouts,
  ModelError,
  type ModelRequest,
  type ModelResult,
  type ModelSink,
  type ModelTarget,
  type ModelTimeouts,
  type ModelUsage,
  type Recording,
  type Speech,
  type SpeechRequest,
  type Transcription,
  type VideoRequest,
} from './types.ts'

export { countTokens, loadTokenCounter } from './count-tokens.ts'
export { decodeTokens } from './decode-tokens.ts'
export { takesDimensions } from './embed.ts'
export { firstToAnswer } from './first-to-begin.ts'
export { DEFAULT_BASE_URLS, defaultContextWindow, guessCapabilities } from './known-models.ts'
export { LOCAL_DIMENSIONS } from './local-embedding.ts'
export { speaksOpenAi } from './openai-dialects.ts'
export {
  countRequest,
  expectedUsage,
  payableMediaUsage,
  payableUsage,
} from './payable-usage.ts'
export { type RunnableTool, ToolLoop, type ToolOutcome, type ToolSink } from './tool-loop.ts'

const TIMEOUTS: ModelTimeouts = { connectMs: 10_000, firstTokenMs: 120_000, betweenTokensMs: 60_000 }
const MEDIA_TIMEOUTS: MediaTimeouts = {
  imageMs: 3 * 60_000,
  videoMs: 15 * 60_000,
  transcriptionMs: 10 * 60_000,
  speechMs: 3 * 60_000,
  embeddingMs: 60_000,
  retryMs: 1_000,
  pollMs: 5_000,
}

export interface Models {
  /**
   * Streams a model's reply to the sink. Resolves when the reply is complete. Rejects with a ModelError whose message
   * is for the user, or with the signal's reason on abort. If the provider is busy, waits for a short Retry-After, or
   * rejects at once if `waits` is false. With `firstTokenMs`, also rejects if there is no output within this time.
   */
  stream(
    target: ModelTarget,
    request: ModelRequest,
    sink: ModelSink,
    signal: AbortSignal,
    waits?: boolean,
    firstTokenMs?: number,
  ): Promise<ModelResult>
  /** Returns the models that a provider offers. Rejects with a ModelError on failure. */
  listModels(target: ModelTarget): Promise<FoundModel[]>
  /** Generates one image. Rejects with a ModelError on failure, or with the signal's reason on abort. */
  generateImage(target: ModelTarget, request: ImageRequest, signal: AbortSignal): Promise<GeneratedMedia>
  /**
   * Generates one video. Calls `onProgress` with values from 0 to 1. Rejects with a ModelError on failure, or with
   * the signal's reason on abort.
   */
  generateVideo(
    target: ModelTarget,
    request: VideoRequest,
    onProgress: (progress: number) => void,
    signal: AbortSignal,
  ): Promise<GeneratedMedia>
  /**
   * Transcribes an audio file. `language` is the tag of the expected language (`en-US`). Rejects with a ModelError on
   * failure, or with the signal's reason on abort.
   */
  transcribe(
    target: ModelTarget,
    recording: Recording,
    options: { language?: string },
    signal: AbortSignal,
  ): Promise<Transcription>
  /** Speaks a text. Rejects with a ModelError on failure, or with the signal's reason on abort. */
  generateSpeech(target: ModelTarget, request: SpeechRequest, signal: AbortSignal): Promise<Speech>
  /**
   * Returns one vector per string, in input order. If the provider is busy, retries the failed requests a few times.
   * The demo provider uses `embedLocally`, whatever the model's name. Calls `sending` with the strings of each
   * request before sending the request. Rejects with a ModelError on failure, or with the signal's reason on abort.
   */
  embed(
    target: ModelTarget,
    texts: string[],
    purpose: EmbeddingPurpose,
    signal: AbortSignal,
    sending?: (texts: readonly string[]) => void,
  ): Promise<Embeddings>
  /** Runs a tool and records the run for telemetry. Undefined without tracing. */
  watchTool?: ModelWatch['tool']
  /** Failures of the models that this process calls. */
  health: ModelHealth
}

export function createModels({
  net,
  timeouts = TIMEOUTS,
  mediaTimeouts,
  watch = UNWATCHED,
  durationOf = async () => null,
  pacer,
  log,
}: {
  net: Net
  timeouts?: ModelTimeouts | undefined
  mediaTimeouts?: Partial<MediaTimeouts>
  watch?: ModelWatch
  /** Returns the duration of an audio file in seconds, for providers that don't report it. */
  durationOf?: DurationOf
  /** Makes background work yield to replies. */
  pacer?: Pacer
  /** Receives a line when a model goes down or works again. */
  log?: ConstructorParameters<typeof ModelHealth>[0]
}): Models {
  const transport: Transport = { net, timeouts, waits: true }
  const impatient: Transport = { ...transport, waits: false }
  const health = new ModelHealth(log)
  const embeddingLimits = new EmbeddingLimits()
  const media: MediaTransport = { net, timeouts: { ...MEDIA_TIMEOUTS, ...mediaTimeouts } }
  const callModel: ModelWatch['call'] = async (operation, target, work) => {
    assertOutsideTransaction(`models (${operation})`)
    health.starts(target)
    try {
      const result = await watch.call(operation, target, work)
      health.succeeded(target)
      return result
    } catch (error) {
      // This process has no connection left, which says nothing about the provider.
      if (error instanceof ModelError && error.code !== 'net.busy') health.failed(target, error)
      throw error
    }
  }
  const asReply = <Result>(reply: () => Promise<Result>): Promise<Result> =>
    pacer ? pacer.whileReplying(reply) : reply()
  return {
    stream: (target, request, sink, signal, waits = true, firstTokenMs) =>
      asReply(() =>
        callModel('chat', target, async (call) => {
          const takesOneCall = request.parallelToolCalls === false
          const deadline = firstTokenMs === undefined ? null : startDeadline(target, firstTokenMs, signal)
          const onBegin = (): void => {
            deadline?.end()
            call.hasBegun()
            health.hasBegun(target)
          }
          const reply = new ReplyText(sink, { takesOneCall, onBegin })
          const used = waits ? transport : impatient
          const written = write(used, target, request, reply, deadline?.signal ?? signal)
          const result = await written.finally(deadline?.end)
          reply.end()
          if (!reply.hasAnswer && needsText(request, result)) throw noText(target)
          call.ended(result)
          return result
        }),
      ),
    async listModels(target) {
      assertOutsideTransaction('models (list)')
      return listModels(transport, target)
    },
    generateImage: (target, request, signal) =>
      callModel('image', target, (call) => recordUsage(call, generateImage(media, target, request, signal))),
    generateVideo: (target, request, onProgress, signal) =>
      callModel('video', target, (call) =>
        recordUsage(call, generateVideo(media, target, request, onProgress, signal)),
      ),
    transcribe: (target, recording, options, signal) =>
      callModel('transcription', target, (call) =>
        recordUsage(call, transcribe(media, target, recording, { ...options, durationOf }, signal)),
      ),
    generateSpeech: (target, request, signal) =>
      callModel('speech', target, (call) =>
        recordUsage(call, generateSpeech(media, target, request, signal)),
      ),
    embed: (target, texts, purpose, signal, sending) =>
      callModel('embeddings', target, (call) =>
        recordUsage(call, embed(media, embeddingLimits, target, texts, purpose, signal, sending)),
      ),
    ...(watch.tool && { watchTool: watch.tool }),
    health,
  }
}

/** Returns a signal that also aborts after some milliseconds, with the error of a reply that did not start. */
function startDeadline(target: ModelTarget, milliseconds: number, signal: AbortSignal) {
  const late = new AbortController()
  const timer = setTimeout(
    () => late.abort(tooSlow(target, 'model.timeout_start', milliseconds)),
    milliseconds,
  )
  return { signal: AbortSignal.any([signal, late.signal]), end: () => clearTimeout(timer) }
}

/** Finish reasons that explain a reply without text. */
const EXPLAINED: readonly ModelResult['finishReason'][] = ['length', 'content_filter', 'refusal']

/**
 * Returns whether a reply must have text. A model may begin with a stop sequence, and may add nothing to the results of
 * its tools.
 */
function needsText({ messages, stop = [] }: ModelRequest, { finishReason }: ModelResult): boolean {
  if (EXPLAINED.includes(finishReason) || stop.length > 0) return false
  const last = messages.findLast((message) => message.role !== 'user' || !isOnlyImages(message.content))
  return last?.role !== 'tool'
}

/** The images of tools are sent as a message of the user. */
const isOnlyImages = (content: string | ContentPart[]): boolean =>
  typeof content !== 'string' && content.every(({ type }) => type === 'image')

async function recordUsage<Result extends { usage: ModelUsage | null }>(
  call: ModelCall,
  work: Promise<Result>,
): Promise<Result> {
  const result = await work
  call.ended(result)
  return result
}

function write(
  transport: Transport,
  target: ModelTarget,
  original: ModelRequest,
  reply: ReplyText,
  signal: AbortSignal,
): Promise<ModelResult> {
  const request = withValidTurns(withAccepted(target, original))
  switch (target.provider) {
    case 'anthropic':
      return streamAnthropic(transport, target, request, reply, signal)
    case 'google':
      return streamGoogle(transport, target, request, reply, signal)
    case 'demo':
      return streamDemo(request, reply, signal)
    default:
      return streamOpenAi(transport, target, request, reply, signal)
  }
}
