import { and, eq } from '#database/drizzle.ts'
import { uploads } from '#database/schema/uploads.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { ReceivedFile } from '#platform/http/receive-file.ts'
import { storeReceivedFile } from '#platform/storage/store-received-file.ts'
import { type UploadView, viewUpload } from '#platform/storage/view-upload.ts'
import type { ChatDependencies } from './dependencies.ts'
import { findChat } from './manage-chats.ts'

/**
 * Stores a file and extracts its text (spec, upload_file). Without `chatId`, the file can be attached to a chat
 * later. Throws chat.not_found, upload.empty, upload.type, upload.quota, upload.chat_full.
 */
export async function uploadFile(
  deps: ChatDependencies,
  scope: Scope<'chats:write'>,
  chatId: string | undefined,
  file: ReceivedFile,
): Promise<UploadView> {
  if (chatId !== undefined) await findChat(scope, chatId)
  const { organizationId, userId } = scope
  const owner = { organizationId, userId, chatId: chatId ?? null }
  const { id } = await storeReceivedFile(deps, owner, file, { commitsWithAnswer: true })
  const [row] = await scope.select(uploads, { where: eq(uploads.id, id) })
  if (!row) throw fail('chat.not_found')
  return viewUpload(deps.storage, row)
}

/**
 * Deletes an upload. The file is removed from storage shortly after (platform/storage/uploads.ts). Throws
 * upload.not_found.
 */
export async function deleteUpload(scope: Scope<'chats:write'>, uploadId: string): Promise<void> {
  const deleted = await scope.delete(uploads, and(eq(uploads.id, uploadId), eq(uploads.status, 'stored')))
  if (deleted.length === 0) throw fail('upload.not_found')
}
