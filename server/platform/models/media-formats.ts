/** Returns the MIME type of an image by its first bytes, or undefined if not every browser displays it. */
export const imageTypeOf = (data: Uint8Array): string | undefined => typeOf(data, IMAGES)

/** Returns the MIME type of a video by its first bytes. */
export const videoTypeOf = (data: Uint8Array): string | undefined => typeOf(data, VIDEOS)

/** Signatures in hexadecimal. https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern */
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
