import Type, { type Static } from 'typebox'
import type { uploads } from '#database/schema/uploads.ts'
import { Timestamp, Uuid } from '../http/schemas.ts'
import type { Storage } from './storage.ts'

export type UploadRow = typeof uploads.$inferSelect

export const UploadView = Type.Object(
  {
    id: Uuid,
    url: Type.String({ description: 'Where the file can be read, for 7 days; signed anew at each read' }),
    filename: Type.String({ description: 'Unique within its chat' }),
    content_type: Type.String(),
    size: Type.Integer({ description: 'Bytes' }),
    text_extracted: Type.Boolean({ description: 'Whether models are given its text' }),
    created_at: Timestamp,
  },
  { title: 'Upload' },
)
export type UploadView = Static<typeof UploadView>

/** Where a file can be read. */
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
