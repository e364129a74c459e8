import { and, eq } from '#database/drizzle.ts'
import { uploads } from '#database/schema/uploads.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { ACCEPTED_TYPES } from '#platform/documents/accepted-types.ts'
import { detectType } from '#platform/documents/detect-type.ts'
import { DocumentError, type Documents } from '#platform/documents/documents.ts'
import type { ReceivedFile } from '#platform/http/receive-file.ts'
import type { NewUpload } from '#platform/storage/uploads.ts'
import { findChat } from './manage-chats.ts'
import type { UploadView } from './schemas.ts'
import type { ChatDesk } from './send-message.ts'
import { viewFile } from './view-files.ts'

/**
 * Keeps a file of the caller's, in a chat or for one to come, with the text that is in it (spec, upload_file). A file
 * whose text can't be read is kept without it. Throws chat.not_found, upload.empty, upload.type, upload.quota,
 * upload.chat_full.
 */
export async function uploadFile(
  { documents, uploads: keeper, storage }: ChatDesk,
  scope: Scope<'chats:write'>,
  chatId: string | undefined,
  file: ReceivedFile,
): Promise<UploadView> {
  if (chatId !== undefined) await findChat(scope, chatId)
  if (file.size === 0) throw fail('upload.empty')
  const contentType = await detectType(file.path, file.name)
  if (contentType === null) throw fail('upload.type')
  const { id } = await keeper.keep(
    {
      organizationId: scope.organizationId,
      userId: scope.userId,
      chatId: chatId ?? null,
      source: 'user',
      name: file.name,
      contentType,
      text: await textOf(documents, file.path, contentType),
    },
    file,
  )
  const [row] = await scope.select(uploads, { where: eq(uploads.id, id) })
  if (!row) throw fail('chat.not_found')
  return viewFile(storage, row)
}

/** The file itself leaves the storage a little later (platform/storage/uploads.ts). Throws upload.not_found. */
export async function deleteUpload(scope: Scope<'chats:write'>, uploadId: string): Promise<void> {
  const deleted = await scope.delete(uploads, and(eq(uploads.id, uploadId), eq(uploads.status, 'stored')))
  if (deleted.length === 0) throw fail('upload.not_found')
}

async function textOf(documents: Documents, path: string, contentType: string): Promise<NewUpload['text']> {
  if (!ACCEPTED_TYPES.get(contentType)?.hasText) return null
  try {
    return await documents.extractText({ path, contentType })
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    if (error.canTryAgain) throw fail('server.unavailable', { reason: error.message })
    return null
  }
}
