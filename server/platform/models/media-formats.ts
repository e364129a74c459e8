/**
 * Detects an image's MIME type from its first bytes. Returns undefined if the format isn't supported by every
 * browser.
 */
export const imageTypeOf = (data: Uint8Array): string | undefined => typeOf(data, IMAGES)

/** Detects a video's MIME type from its first bytes. Returns undefined for formats other than MP4 and WebM. */
export const videoTypeOf = (data: Uint8Array): string | undefined => typeOf(data, VIDEOS)

/** File signatures in hexadecimal. https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern */
const IMAGES: readonly (readonly [RegExp, string])[] = [
  [/^89504e470d0a1a0a/, 'image/png'],
  [/^ffd8ff/, 'image/jpeg'],
  [/^52494646.{8}57454250/, 'image/webp'],
  [/^474946383[79]61/, 'image/gif'],
]

const VIDEOS: readonly (readonly [RegExp, string])[] = [
  [/^.{8}66747970/, 'video/mp4'],
  [/^1a45dfa3/, 'video/webm'],
]

const SIGNATURE_BYTES = 16

function typeOf(data: Uint8Array, types: typeof IMAGES): string | undefined {
  const signature = Buffer.from(data.subarray(0, SIGNATURE_BYTES)).toString('hex')
  return types.find(([pattern]) => pattern.test(signature))?.[1]
}
