import { eq } from '#database/drizzle.ts'
import { uploads } from '#database/schema/uploads.ts'
import { fail } from '#errors'
import type { Permission } from '../access/permissions.ts'
import type { Scope } from '../access/scope.ts'
import type { ReceivedFile } from '../http/receive-file.ts'
import type { Services } from '../services.ts'
import { type StoreFileOptions, storeReceivedFile } from './store-received-file.ts'
import { type UploadView, viewUpload } from './view-upload.ts'

interface StoreUploadOptions extends Pick<StoreFileOptions, 'needsText' | 'encoding'> {
  chatId?: string | null
}

/**
 * Stores a received file as an upload of the caller, together with the answer to the request. Throws the errors of
 * storeReceivedFile, and upload.not_found if the upload is deleted at the same time.
 */
export async function storeUpload(
  services: Pick<Services, 'documents' | 'uploads' | 'storage'>,
  scope: Pick<Scope<Permission>, 'organizationId' | 'userId' | 'select'>,
  file: Omit<ReceivedFile, 'fields' | 'contentType'>,
  { chatId = null, ...options }: StoreUploadOptions = {},
): Promise<UploadView> {
  const { organizationId, userId } = scope
  const owner = { organizationId, userId, chatId }
  const { id } = await storeReceivedFile(services, owner, file, { ...options, commitsWithAnswer: true })
  const [row] = await scope.select(uploads, { where: eq(uploads.id, id) })
  if (!row) throw fail('upload.not_found', { value: id })
  return viewUpload(services.storage, row)
}
