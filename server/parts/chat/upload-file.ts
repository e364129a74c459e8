import { and, eq } from '#database/drizzle.ts'
import { uploads } from '#database/schema/uploads.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { ReceivedFile } from '#platform/http/receive-file.ts'
import { storeUpload } from '#platform/storage/store-upload.ts'
import type { UploadView } from '#platform/storage/view-upload.ts'
import type { ChatDependencies } from './dependencies.ts'
import { findChat } from './manage-chats.ts'

/**
 * Stores a file and extracts its text. Without a chat, the file can be attached to a chat
 * later. Throws chat.not_found, and the errors of storeUpload.
 */
export async function uploadFile(
  deps: ChatDependencies,
  scope: Scope<'chats:write'>,
  { chat_id: chatId, encoding }: { chat_id?: string; encoding?: string },
  file: ReceivedFile,
): Promise<UploadView> {
  if (chatId !== undefined) await findChat(scope, chatId)
  return storeUpload(deps, scope, file, { chatId: chatId ?? null, ...(encoding && { encoding }) })
}

/**
 * Deletes an upload. The file is removed from storage shortly after (platform/storage/uploads.ts). Throws
 * upload.not_found.
 */
export async function deleteUpload(scope: Scope<'chats:write'>, uploadId: string): Promise<void> {
  const deleted = await scope.delete(uploads, and(eq(uploads.id, uploadId), eq(uploads.status, 'stored')))
  if (deleted.length === 0) throw fail('upload.not_found', { value: uploadId })
}
