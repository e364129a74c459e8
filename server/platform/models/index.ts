import { assertOutsideTransaction } from '#database/ambient.ts'
import type { Net } from '../net/index.ts'
import { type ModelCall, type ModelWatch, UNWATCHED } from '../telemetry/watch-models.ts'
import { streamAnthropic } from './anthropic.ts'
import { streamDemo } from './demo.ts'
import { embed } from './embed.ts'
import type { MediaTransport } from './exchange.ts'
import { streamGoogle } from './google.ts'
import { type FoundModel, listModels } from './list-models.ts'
import { generateImage, generateVideo } from './media.ts'
import { streamOpenAi } from './openai.ts'
import { withAccepted } from './parameters.ts'
import { ReplyText } from './reply-text.ts'
import { type DurationOf, transcribe } from './transcribe.ts'
import type { Transport } from './transport.ts'
import type {
  EmbeddingPurpose,
  Embeddings,
  GeneratedMedia,
  ImageRequest,
  MediaTimeouts,
  ModelRequest,
  ModelResult,
  ModelSink,
  ModelTarget,
  ModelTimeouts,
  ModelUsage,
  Recording,
  Transcription,
  VideoRequest,
} from './types.ts'

export { countTokens, loadTokenCounter } from './count-tokens.ts'
export { decodeTokens } from './decode-tokens.ts'
export { takesDimensions } from './embed.ts'
export { DEFAULT_BASE_URLS, defaultContextWindow, guessCapabilities } from './known-models.ts'
export { LOCAL_DIMENSIONS } from './local-embedding.ts'
export { payableMediaUsage, payableUsage } from './payable-usage.ts'
export { type RunnableTool, ToolLoop, type ToolOutcome, type ToolSink } from './tool-loop.ts'

const TIMEOUTS: ModelTimeouts = { connectMs: 10_000, firstTokenMs: 120_000, betweenTokensMs: 60_000 }
const MEDIA_TIMEOUTS: MediaTimeouts = {
  imageMs: 3 * 60_000,
  videoMs: 15 * 60_000,
  transcriptionMs: 10 * 60_000,
  embeddingMs: 60_000,
  retryMs: 1_000,
  pollMs: 5_000,
}

export interface Models {
  /**
   * Streams a model's reply to the sink. Resolves when the reply is complete. Rejects with a ModelError whose message
   * is for the user, or with the signal's reason on abort.
   */
  stream(
    target: ModelTarget,
    request: ModelRequest,
    sink: ModelSink,
    signal: AbortSignal,
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
}

export function createModels({
  net,
  timeouts = TIMEOUTS,
  mediaTimeouts,
  watch = UNWATCHED,
  durationOf = async () => null,
}: {
  net: Net
  timeouts?: ModelTimeouts
  mediaTimeouts?: Partial<MediaTimeouts>
  watch?: ModelWatch
  /** Returns the duration of an audio file in seconds, for providers that don't report it. */
  durationOf?: DurationOf
}): Models {
  const transport: Transport = { net, timeouts }
  const media: MediaTransport = { net, timeouts: { ...MEDIA_TIMEOUTS, ...mediaTimeouts } }
  const callModel: ModelWatch['call'] = async (operation, target, work) => {
    assertOutsideTransaction(`models (${operation})`)
    return watch.call(operation, target, work)
  }
  return {
    stream: (target, request, sink, signal) =>
      callModel('chat', target, async (call) => {
        const takesOneCall = request.parallelToolCalls === false
        const reply = new ReplyText(sink, { takesOneCall, onBegin: () => call.hasBegun() })
        const result = await write(transport, target, request, reply, signal)
        reply.end()
        call.ended(result)
        return result
      }),
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
    embed: (target, texts, purpose, signal, sending) =>
      callModel('embeddings', target, (call) =>
        recordUsage(call, embed(media, target, texts, purpose, signal, sending)),
      ),
    ...(watch.tool && { watchTool: watch.tool }),
  }
}

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
  const request = withAccepted(target, original)
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
