import { inArray } from '#database/drizzle.ts'
import { uploads, uploadTexts } from '#database/schema/uploads.ts'
import { fail } from '#errors'
import { ACCEPTED_TYPES } from '#platform/documents/accepted-types.ts'
import { nameAttribute, writeAttachment } from '#platform/models/prompt-elements.ts'
import type { ContentPart } from '#platform/models/types.ts'
import type { Storage } from '#platform/storage/storage.ts'
import type { UploadRow } from '#platform/storage/view-upload.ts'
import type { ChatReader } from './schemas.ts'

/** An uploaded file of a message, with its extracted text. */
export interface Attachment extends UploadRow {
  /** Extracted text. Null if the file has no readable text, or isn't among the newest `TEXTS_MAX` files. */
  text: string | null
  /** True if only the beginning of the file's text was stored. */
  isCut: boolean
}

/**
 * Maximum number of files per prompt whose text is included, newest first.
 * @limit files whose text a prompt includes (newest first)
 */
const TEXTS_MAX = 20
/**
 * Image limits per model request: number, bytes per image, and total bytes. No provider accepts more.
 * @limit images of a prompt
 */
const IMAGES_MAX = 10
/** @limit an image of a prompt */
const IMAGE_BYTES_MAX = 10 * 1024 * 1024
/** @limit all images of a prompt */
const IMAGES_BYTES_MAX = 20 * 1024 * 1024

/** True if vision models accept the file. */
export const isImage = ({ contentType }: UploadRow): boolean =>
  ACCEPTED_TYPES.get(contentType)?.isVisionImage === true

/** Returns the uploads in the order of `ids`. Throws upload.not_found if an upload isn't the caller's. */
export async function findUploads(scope: ChatReader, ids: readonly string[]): Promise<UploadRow[]> {
  const found = await readUploads(scope, ids)
  return ids.map((id) => {
    const row = found.get(id)
    if (!row) throw fail('upload.not_found', { value: id })
    return row
  })
}

/** Returns the uploads that exist, by id. */
export async function readUploads(
  scope: ChatReader,
  ids: readonly string[],
): Promise<Map<string, UploadRow>> {
  if (ids.length === 0) return new Map()
  const rows = await scope.select(uploads, { where: inArray(uploads.id, [...new Set(ids)]) })
  return new Map(rows.filter((row) => row.status === 'stored').map((row) => [row.id, row]))
}

/** Returns the attachments of messages, by id. `messages` are ordered newest first. Omits deleted attachments. */
export async function readAttachments(
  scope: ChatReader,
  messages: readonly { uploadIds: string[] | null }[],
): Promise<Map<string, Attachment>> {
  const ids = [...new Set(messages.flatMap((message) => message.uploadIds ?? []))]
  const rows = await readUploads(scope, ids)
  const withText = ids.filter((id) => rows.get(id)?.textExtracted).slice(0, TEXTS_MAX)
  const texts =
    withText.length === 0
      ? []
      : await scope.select(uploadTexts, { where: inArray(uploadTexts.uploadId, withText) })
  const byId = new Map(texts.map((text) => [text.uploadId, text]))
  return new Map(
    [...rows].map(([id, row]) => {
      const { text = null, isCut = false } = byId.get(id) ?? {}
      return [id, { ...row, text, isCut }]
    }),
  )
}

/** Returns a message's attachments from the result of `readAttachments`. */
export const attachmentsOf = (
  { uploadIds }: { uploadIds: string[] | null },
  read: ReadonlyMap<string, Attachment>,
): Attachment[] => (uploadIds ?? []).flatMap((id) => read.get(id) ?? [])

/**
 * Appends the text of attachments to a message. The attachments share `bytesMax` bytes. Truncated text ends with a
 * remark that says so.
 */
export function withTexts(content: string, attachments: readonly Attachment[], bytesMax: number): string {
  let left = bytesMax
  const parts = attachments.map((attachment, index) => {
    const described = describe(attachment, Math.floor(left / (attachments.length - index)))
    left -= Buffer.byteLength(described)
    return described
  })
  return [content, ...parts].join('\n\n')
}

function describe(attachment: Attachment, bytesMax: number): string {
  const name = nameAttribute(attachment.filename)
  if (isImage(attachment)) return `[Attached image: ${name}]`
  if (attachment.text === null) {
    const reason = attachment.textError === null ? '' : ` ${attachment.textError}`
    return `[Attached file: ${name}, ${attachment.contentType}. Its text is not included.${reason}]`
  }
  const { text } = attachment
  const excerpt = cutToBytes(text, bytesMax)
  const isCut = attachment.isCut || excerpt.length < text.length
  return writeAttachment(attachment.filename, excerpt, isCut)
}

/** Truncates a string to at most `bytesMax` bytes of UTF-8, without splitting a character. */
function cutToBytes(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text.slice(0, Math.max(0, bytesMax)).toWellFormed())
  let end = Math.min(bytes.length, Math.max(0, bytesMax))
  while (end > 0 && isInsideCharacter(bytes[end])) end--
  return bytes.toString('utf8', 0, end)
}

const isInsideCharacter = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/**
 * Checks the limits of a new message's images. Throws upload.image_too_large, upload.too_many_images or
 * upload.images_too_large.
 */
export function checkImages(images: readonly UploadRow[]): void {
  const tooLarge = images.find((image) => image.size > IMAGE_BYTES_MAX)
  if (tooLarge) throw fail('upload.image_too_large', { name: tooLarge.filename, limit: IMAGE_BYTES_MAX })
  if (images.length > IMAGES_MAX) throw fail('upload.too_many_images', { limit: IMAGES_MAX })
  const bytes = images.reduce((sum, { size }) => sum + size, 0)
  if (bytes > IMAGES_BYTES_MAX) throw fail('upload.images_too_large', { limit: IMAGES_BYTES_MAX })
}

/** Returns the newest images that together fit into one request. `images` are ordered oldest first. */
export function selectImages(images: readonly Attachment[]): Set<Attachment> {
  const selected = new Set<Attachment>()
  let bytes = 0
  for (const image of images.toReversed()) {
    bytes += image.size
    if (bytes > IMAGES_BYTES_MAX || selected.size === IMAGES_MAX) break
    selected.add(image)
  }
  return selected
}

/** Returns message content for the model: the images, followed by the text. */
export async function withImages(
  storage: Storage,
  text: string,
  images: readonly Attachment[],
): Promise<string | ContentPart[]> {
  if (images.length === 0) return text
  const parts = await Promise.all(
    images.map(async ({ contentType, storageKey }) => ({
      type: 'image' as const,
      mimeType: contentType,
      data: await storage.read(storageKey),
    })),
  )
  return [...parts, { type: 'text', text }]
}
