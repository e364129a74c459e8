import { setTimeout as sleep } from 'node:timers/promises'
import { withinTime } from '../net/exchange-bounds.ts'
import { demoImage, demoVideo } from './demo-media.ts'
import { download, type MediaTransport } from './exchange.ts'
import { describeErrorEvent, noMedia, notMedia, notOffered, tooSlow } from './failures.ts'
import { imageTypeOf, videoTypeOf } from './media-formats.ts'
import { bareName, callSdk, loadSdk, openGoogle, openImageModel } from './sdk.ts'
import type { GeneratedMedia, ImageRequest, ModelTarget, VideoRequest } from './types.ts'
import { usageOf } from './usage.ts'

/** @limit generated images of a call */
const IMAGE_ANSWER_BYTES_MAX = 32 * 1024 * 1024
/** @limit generated video */
const VIDEO_BYTES_MAX = 256 * 1024 * 1024
const OPERATION_BYTES_MAX = 1024 * 1024
/**
 * Number of consecutive failed polls after which a video fails. A single failed poll is ignored, because the provider
 * generates and bills the video anyway.
 */
const FAILED_POLLS_MAX = 3
/** Time after which the estimated progress of a video is about two thirds. */
const VIDEO_TYPICAL_MS = 60_000
/** Maximum estimated progress. */
const GUESSED_PROGRESS_MAX = 0.95

/**
 * Generates one image. Never retries, because the provider bills each attempt. Rejects with a ModelError on failure,
 * or with the signal's reason on abort.
 */
export async function generateImage(
  { net, timeouts }: MediaTransport,
  target: ModelTarget,
  { prompt, images = [] }: ImageRequest,
  signal: AbortSignal,
): Promise<GeneratedMedia> {
  if (target.provider === 'demo') return demoImage(prompt)
  const late = (): Error => tooSlow(target, 'model.timeout_image', timeouts.imageMs)
  return withinTime(timeouts.imageMs, late, signal, async (abortSignal) => {
    const model = await openImageModel(net, target, IMAGE_ANSWER_BYTES_MAX)
    const { generateImage } = await loadSdk()
    const { data, usage } = await callSdk(target, 'image', async () => {
      const drawn = await generateImage({
        model,
        prompt: images.length === 0 ? prompt : { text: prompt, images: images.map(({ data }) => data) },
        maxRetries: 0,
        abortSignal,
      })
      return { data: drawn.image.uint8Array, usage: drawn.usage }
    })
    const mimeType = imageTypeOf(data)
    if (!mimeType) throw notMedia(target, 'image')
    return { mimeType, data, usage: usageOf(usage.inputTokens, usage.outputTokens) }
  })
}

/**
 * Generates one video. Calls `onProgress` with values from 0 to 1 at each poll. Veo reports no progress, so the
 * values are estimated from the elapsed time. Rejects with a ModelError on failure, or with the signal's reason on
 * abort.
 */
export async function generateVideo(
  transport: MediaTransport,
  target: ModelTarget,
  { prompt }: VideoRequest,
  onProgress: (progress: number) => void,
  signal: AbortSignal,
): Promise<GeneratedMedia> {
  if (target.provider === 'demo') return demoVideo(onProgress, signal)
  // The SDK doesn't support OpenAI's Sora.
  if (target.provider !== 'google') throw notOffered(target, 'video')
  const { net, timeouts } = transport
  const late = (): Error => tooSlow(target, 'model.timeout_video', timeouts.videoMs)
  return withinTime(timeouts.videoMs, late, signal, async (bounded) => {
    const address = await makeWithVeo(transport, target, prompt, onProgress, bounded)
    const data = await download(net, target, address, VIDEO_BYTES_MAX, bounded)
    const mimeType = videoTypeOf(data)
    if (!mimeType) throw notMedia(target, 'video')
    onProgress(1)
    return { mimeType, data, usage: null }
  })
}

/**
 * Starts a video and polls until the video is complete. Returns the video's URL. The SDK adds the API key to the URL
 * only on Google's own hosts.
 */
async function makeWithVeo(
  { net, timeouts }: MediaTransport,
  target: ModelTarget,
  prompt: string,
  onProgress: (progress: number) => void,
  abortSignal: AbortSignal,
): Promise<string> {
  const model = (await openGoogle(net, target, OPERATION_BYTES_MAX)).video(bareName(target))
  const { experimental_startVideo: startVideo, experimental_getVideoStatus: videoStatus } = await loadSdk()
  const { operation } = await callSdk(target, 'video', () =>
    startVideo({ model, prompt, maxRetries: 0, abortSignal }),
  )
  let failed = 0
  const ask = async () => {
    try {
      const status = await callSdk(target, 'video', () =>
        videoStatus(model, { operation, maxRetries: 0, abortSignal }),
      )
      failed = 0
      return status
    } catch (error) {
      failed += 1
      if (abortSignal.aborted || failed === FAILED_POLLS_MAX) throw error
      return { status: 'pending' } as const
    }
  }
  const began = performance.now()
  for (;;) {
    const guess = 1 - Math.exp((began - performance.now()) / VIDEO_TYPICAL_MS)
    onProgress(Math.min(guess, GUESSED_PROGRESS_MAX))
    await sleep(timeouts.pollMs, undefined, { signal: abortSignal })
    const answer = await ask()
    if (answer.status === 'error') throw describeErrorEvent(target, answer.error)
    if (answer.status === 'pending') continue
    const [video] = answer.videos
    if (video?.type !== 'url') throw noMedia(target, 'video')
    return video.url
  }
}
