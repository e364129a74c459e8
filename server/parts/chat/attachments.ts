import { inArray } from '#database/drizzle.ts'
import { uploads, uploadTexts } from '#database/schema/uploads.ts'
import { fail } from '#errors'
import { ACCEPTED_TYPES } from '#platform/documents/accepted-types.ts'
import { withoutTags } from '#platform/models/prompt-elements.ts'
import type { ContentPart } from '#platform/models/types.ts'
import type { Storage } from '#platform/storage/storage.ts'
import type { UploadRow } from '#platform/storage/view-upload.ts'
import type { ChatReader } from './schemas.ts'

/** An uploaded file of a message, with its text. */
export interface Attachment extends UploadRow {
  /** Null if the file has no text or it could not be read. */
  text: string | null
  /** True if the stored text is shorter than the file's. */
  isCut: boolean
}

/** Maximum number of files per prompt whose text is included; the newest are used. */
const TEXTS_MAX = 20
/** Image limits per request; no provider accepts more or larger ones. */
const IMAGES_MAX = 10
const IMAGE_BYTES_MAX = 10 * 1024 * 1024
const IMAGES_BYTES_MAX = 20 * 1024 * 1024

/** True if vision models accept the file. */
export const isImage = ({ contentType }: UploadRow): boolean =>
  ACCEPTED_TYPES.get(contentType)?.isVisionImage === true

/** Returns the uploads in the order of their ids. Throws upload.not_found for an upload of another user. */
export async function findUploads(scope: ChatReader, ids: readonly string[]): Promise<UploadRow[]> {
  const found = await readUploads(scope, ids)
  return ids.map((id) => {
    const row = found.get(id)
    if (!row) throw fail('upload.not_found')
    return row
  })
}

/** Returns the existing uploads among these, by id. */
export async function readUploads(
  scope: ChatReader,
  ids: readonly string[],
): Promise<Map<string, UploadRow>> {
  if (ids.length === 0) return new Map()
  const rows = await scope.select(uploads, { where: inArray(uploads.id, [...new Set(ids)]) })
  return new Map(rows.filter((row) => row.status === 'stored').map((row) => [row.id, row]))
}

/** Returns the attachments of messages by id, newest first, without deleted ones. */
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

/** Picks a message's attachments from those read. */
export const attachmentsOf = (
  { uploadIds }: { uploadIds: string[] | null },
  read: ReadonlyMap<string, Attachment>,
): Attachment[] => (uploadIds ?? []).flatMap((id) => read.get(id) ?? [])

/** Appends the texts of attachments to a message, within `bytesMax` bytes shared equally, and marks omissions. */
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
  const name = withoutTags(JSON.stringify(attachment.filename))
  if (isImage(attachment)) return `[Attached image: ${name}]`
  if (attachment.text === null)
    return `[Attached file: ${name}, ${attachment.contentType}. Its text is not included.]`
  const { text } = attachment
  const excerpt = cutToBytes(text, bytesMax)
  const isCut = attachment.isCut || excerpt.length < text.length
  const remark = isCut ? `\n[… truncated: only the beginning of the file fits]` : ''
  return `<attachment name=${name}>\n${withoutTags(excerpt)}${remark}\n</attachment>`
}

/** Cuts a text to at most `bytesMax` bytes, between characters. */
function cutToBytes(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text.slice(0, Math.max(0, bytesMax)).toWellFormed())
  let end = Math.min(bytes.length, Math.max(0, bytesMax))
  while (end > 0 && isInsideCharacter(bytes[end])) end--
  return bytes.toString('utf8', 0, end)
}

/** True for a continuation byte of UTF-8. */
const isInsideCharacter = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/**
 * Throws upload.image_too_large, upload.too_many_images or upload.images_too_large if no model accepts the images
 * of a new message.
 */
export function checkImages(images: readonly UploadRow[]): void {
  const tooLarge = images.find((image) => image.size > IMAGE_BYTES_MAX)
  if (tooLarge) throw fail('upload.image_too_large', { name: tooLarge.filename, limit: IMAGE_BYTES_MAX })
  if (images.length > IMAGES_MAX) throw fail('upload.too_many_images', { limit: IMAGES_MAX })
  const bytes = images.reduce((sum, { size }) => sum + size, 0)
  if (bytes > IMAGES_BYTES_MAX) throw fail('upload.images_too_large', { limit: IMAGES_BYTES_MAX })
}

/** Selects the latest images that fit into one request. */
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

/** Builds the content of a message with images. */
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
