import Type, { type Static } from 'typebox'
import type { uploads } from '#database/schema/uploads.ts'
import { CreatedAt, ObjectId } from '../http/schemas.ts'
import type { Storage } from './storage.ts'

export type UploadRow = typeof uploads.$inferSelect

export const UploadView = Type.Object(
  {
    id: ObjectId,
    url: Type.String({
      description: 'Signed URL of the file, valid for 7 days. Each read returns a new one.',
    }),
    filename: Type.String({ description: 'Name of the file, unique within its chat.' }),
    content_type: Type.String({ description: 'Media type of the file.' }),
    size: Type.Integer({ description: 'Size of the file, in bytes.' }),
    text_extracted: Type.Boolean({ description: 'Whether models receive the text of the file.' }),
    text_error: Type.Optional(
      Type.String({ description: 'Why no text was extracted from a document. Absent if there is text.' }),
    ),
    text_encoding: Type.Optional(
      Type.String({
        description:
          'Encoding in which a text file was read, such as `gbk`, if the caller chose it or the file does not state it. Absent for Unicode.',
      }),
    ),
    text_encoding_doubtful: Type.Optional(
      Type.Boolean({
        description:
          'True if another encoding is almost as likely. If the text is garbled, upload the file again with `encoding`.',
      }),
    ),
    created_at: CreatedAt,
  },
  { title: 'Upload' },
)
export type UploadView = Static<typeof UploadView>

/** Encoding of an uploaded text file. */
export const TextEncoding = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 40,
    description:
      'Encoding of a text file: a label of the Encoding Standard such as `windows-1251`, `gbk` or `shift_jis`, or `utf-32le` or `utf-32be`. Default: the one that the content suggests.',
  }),
)

/** Returns a signed URL of the file. */
export const urlOf = (storage: Storage, { storageKey, contentType }: UploadRow): Promise<string> =>
  storage.urlOf({ key: storageKey, contentType })

export const viewUpload = async (storage: Storage, row: UploadRow): Promise<UploadView> => ({
  id: row.id,
  url: await urlOf(storage, row),
  filename: row.filename,
  content_type: row.contentType,
  size: row.size,
  text_extracted: row.textExtracted,
  ...(row.textError !== null && { text_error: row.textError }),
  ...(row.textEncoding !== null && { text_encoding: row.textEncoding }),
  ...(row.isEncodingDoubtful && { text_encoding_doubtful: true }),
  created_at: row.createdAt.toISOString(),
})
