import { basename } from 'node:path'
import { fail } from '#errors'
import { ACCEPTED_TYPES, type AcceptedType } from '../documents/accepted-types.ts'
import { detectType } from '../documents/detect-type.ts'
import { DocumentError, type Documents } from '../documents/documents.ts'
import type { ReceivedFile } from '../http/receive-file.ts'
import type { NewUpload, Uploads } from './uploads.ts'

interface StoreFileDependencies {
  documents: Documents
  uploads: Uploads
}

interface StoreFileOptions extends Partial<Pick<NewUpload, 'source' | 'commitsWithAnswer'>> {
  needsText?: boolean
}

export interface StoredFile {
  id: string
  /** The stored name, which is unique within its chat. */
  filename: string
  contentType: string
  text: NewUpload['text']
}

/**
 * Stores a received file with its extracted text, or without text if the extraction fails. Throws upload.empty,
 * upload.type, and the errors of Uploads.keep. Throws upload.no_text if `needsText` is set and the file's type has no
 * text.
 */
export async function storeReceivedFile(
  { documents, uploads }: StoreFileDependencies,
  owner: Pick<NewUpload, 'id' | 'organizationId' | 'userId' | 'chatId'>,
  file: Omit<ReceivedFile, 'fields' | 'contentType'>,
  { needsText = false, source = 'user', commitsWithAnswer = false }: StoreFileOptions = {},
): Promise<StoredFile> {
  if (file.size === 0) throw fail('upload.empty')
  const contentType = await detectType(file.path, file.name)
  const type = contentType === null ? undefined : ACCEPTED_TYPES.get(contentType)
  if (!type) throw fail('upload.type')
  if (needsText && !type.hasText) throw fail('upload.no_text')
  const text = await textOf(documents, file.path, type)
  const upload = { ...owner, source, name: file.name, contentType: type.contentType, text, commitsWithAnswer }
  const { id, key } = await uploads.keep(upload, file)
  return { id, filename: basename(key), contentType: type.contentType, text }
}

async function textOf(
  documents: Documents,
  path: string,
  { contentType, hasText }: AcceptedType,
): Promise<NewUpload['text']> {
  if (!hasText) return null
  try {
    return await documents.extractText({ path, contentType })
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    if (error.canTryAgain) throw fail('server.unavailable', { reason: error.message })
    return null
  }
}
