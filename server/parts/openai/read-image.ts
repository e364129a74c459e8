import { fail, sentence } from '#errors'
import { imageTypeOf } from '#platform/models/media-formats.ts'
import type { ContentPart } from '#platform/models/types.ts'
import type { Net } from '#platform/net/index.ts'
import { loadAddress } from './load-address.ts'

/** @limit an image of a request */
const IMAGE_BYTES_MAX = 10 * 1024 * 1024
/** Maximum total size of a request's images. Chats have the same limit. @limit all images of a request */
const IMAGES_BYTES_MAX = 20 * 1024 * 1024
const DATA_URL = /^data:image\/[\w.+-]+;base64,(?<data>[A-Za-z0-9+/=\s]*)$/

/** The number of bytes that further images of the request may have. */
export interface ImageBudget {
  bytesLeft: number
}

export const newImageBudget = (): ImageBudget => ({ bytesLeft: IMAGES_BYTES_MAX })

/**
 * Reads an image from a data URL (RFC 2397), or downloads it through the SSRF guard. Determines the image type from
 * the bytes. Throws request.invalid, with the reason `invalid` if the data URL is not one of an image.
 */
export async function readImage(
  net: Net,
  url: string,
  budget: ImageBudget,
  invalid = sentence('openai.image_data'),
): Promise<ContentPart> {
  const data = url.startsWith('data:') ? decode(url, invalid) : await loadAddress(net, url, IMAGE_BYTES_MAX)
  const mimeType = imageTypeOf(data)
  if (mimeType === undefined) throw refuse(sentence('openai.image_type'))
  budget.bytesLeft -= data.length
  if (budget.bytesLeft < 0) throw refuse(sentence('openai.images_bytes', { limit: IMAGES_BYTES_MAX }))
  return { type: 'image', mimeType, data }
}

function decode(url: string, invalid: string): Uint8Array {
  const data = DATA_URL.exec(url)?.groups?.['data']
  if (data === undefined) throw refuse(invalid)
  const bytes = Buffer.from(data, 'base64')
  if (bytes.length > IMAGE_BYTES_MAX) throw refuse(sentence('openai.image_bytes', { limit: IMAGE_BYTES_MAX }))
  return bytes
}

const refuse = (reason: string) => fail('request.invalid', { reason })
