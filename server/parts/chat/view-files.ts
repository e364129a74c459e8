import { and, asc, eq } from '#database/drizzle.ts'
import { uploads } from '#database/schema/uploads.ts'
import type { Storage } from '#platform/storage/storage.ts'
import { type UploadView, urlOf, viewUpload } from '#platform/storage/view-upload.ts'
import { readUploads } from './attachments.ts'
import { type ChatReader, type MessageRow, type MessageView, viewMessage } from './schemas.ts'

/** Maximum number of files shown per chat. */
const FILES_SHOWN = 200

/** Returns messages with their attachments and media. Each call creates new signed URLs. */
export async function viewMessages(
  storage: Storage,
  scope: ChatReader,
  rows: readonly MessageRow[],
): Promise<MessageView[]> {
  const files = await readUploads(
    scope,
    rows.flatMap(({ uploadIds, media }) => [
      ...(uploadIds ?? []),
      ...(media ?? []).map((one) => one.upload_id),
    ]),
  )
  return Promise.all(
    rows.map(async (row) =>
      viewMessage(row, {
        uploads: await Promise.all(
          (row.uploadIds ?? []).flatMap((id) => files.get(id) ?? []).map((file) => viewUpload(storage, file)),
        ),
        media: await Promise.all(
          (row.media ?? []).flatMap(({ type, upload_id, mime_type }) => {
            const file = files.get(upload_id)
            return file ? [urlOf(storage, file).then((url) => ({ type, url, mime_type }))] : []
          }),
        ),
      }),
    ),
  )
}

/** Returns the files that the user uploaded to a chat, oldest first. */
export async function viewFilesOf(
  storage: Storage,
  scope: ChatReader,
  chatId: string,
): Promise<UploadView[]> {
  const rows = await scope.select(uploads, {
    where: and(eq(uploads.chatId, chatId), eq(uploads.source, 'user'), eq(uploads.status, 'stored')),
    orderBy: [asc(uploads.id)],
    limit: FILES_SHOWN,
  })
  return Promise.all(rows.map((row) => viewUpload(storage, row)))
}
