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
    created_at: CreatedAt,
  },
  { title: 'Upload' },
)
export type UploadView = Static<typeof UploadView>

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
  created_at: row.createdAt.toISOString(),
})
