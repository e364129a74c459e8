import { basename } from 'node:path'
import { fail } from '#errors'
import { ACCEPTED_TYPES, type AcceptedType } from '../documents/accepted-types.ts'
import { detectType, isCompoundFile } from '../documents/detect-type.ts'
import { DocumentError, type Documents } from '../documents/documents.ts'
import { isKnownEncoding } from '../documents/unicode-text.ts'
import type { ReceivedFile } from '../http/receive-file.ts'
import type { NewUpload, Uploads } from './uploads.ts'

interface StoreFileDependencies {
  documents: Documents
  uploads: Uploads
}

export interface StoreFileOptions extends Partial<Pick<NewUpload, 'source' | 'commitsWithAnswer'>> {
  needsText?: boolean
  /** Encoding of a text file, as the caller chose it. Default: the one that the content suggests. */
  encoding?: string
}

export interface StoredFile {
  id: string
  /** The stored name, which is unique within its chat. */
  filename: string
  contentType: string
  text: NewUpload['text']
}

/**
 * Stores a received file with its extracted text, or with the reason why there is no text. Throws upload.empty,
 * upload.encoding, upload.old_office, upload.type, and the errors of Uploads.keep. Throws upload.no_text if `needsText`
 * is set and the file's type has no text.
 */
export async function storeReceivedFile(
  { documents, uploads }: StoreFileDependencies,
  owner: Pick<NewUpload, 'id' | 'organizationId' | 'userId' | 'chatId'>,
  file: Omit<ReceivedFile, 'fields' | 'contentType'>,
  { needsText = false, source = 'user', commitsWithAnswer = false, encoding }: StoreFileOptions = {},
): Promise<StoredFile> {
  if (encoding !== undefined && !isKnownEncoding(encoding)) throw fail('upload.encoding', { encoding })
  if (file.size === 0) throw fail('upload.empty')
  const contentType = await detectType(file.path, file.name)
  const type = contentType === null ? undefined : ACCEPTED_TYPES.get(contentType)
  if (!type) throw fail((await isCompoundFile(file.path)) ? 'upload.old_office' : 'upload.type')
  if (needsText && !type.hasText) throw fail('upload.no_text')
  const { text, textError } = await textOf(documents, file.path, type, encoding)
  const upload = {
    ...{ ...owner, source, name: file.name, contentType: type.contentType },
    ...{ text, textError, commitsWithAnswer },
  }
  const { id, key } = await uploads.keep(upload, file)
  return { id, filename: basename(key), contentType: type.contentType, text }
}

async function textOf(
  documents: Documents,
  path: string,
  { contentType, hasText }: AcceptedType,
  encoding: string | undefined,
): Promise<Pick<NewUpload, 'text' | 'textError'>> {
  if (!hasText) return { text: null, textError: null }
  try {
    const text = await documents.extractText({ path, contentType, ...(encoding && { encoding }) })
    return { text, textError: null }
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    if (error.canTryAgain) throw fail('server.unavailable', { reason: error.message })
    return { text: null, textError: error.message }
  }
}
