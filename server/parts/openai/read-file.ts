import { rm } from 'node:fs/promises'
import { fail, sentence } from '#errors'
import { ACCEPTED_TYPES } from '#platform/documents/accepted-types.ts'
import { detectType } from '#platform/documents/detect-type.ts'
import { DocumentError } from '#platform/documents/documents.ts'
import { writeAttachment } from '#platform/models/prompt-elements.ts'
import type { ContentPart } from '#platform/models/types.ts'
import type { Services } from '#platform/services.ts'
import { writeLocalFile } from '#platform/storage/local-file.ts'

/** Maximum number of files per request. @limit files of a request */
export const FILES_MAX = 20

export type FileServices = Pick<Services, 'documents' | 'config'>

/**
 * Returns the text of a file in a request, as a part of a message. Detects the type from the content; between types of
 * text, the name decides. Throws request.invalid, server.unavailable.
 */
export async function readFile(
  { documents, config }: FileServices,
  { name, data }: { name: string; data: Uint8Array },
): Promise<ContentPart> {
  const { path } = await writeLocalFile(config.dataDir, data)
  try {
    const contentType = await detectType(path, name)
    if (contentType === null || !ACCEPTED_TYPES.get(contentType)?.hasText)
      throw fail('request.invalid', { reason: sentence('openai.file_type', { name }) })
    const { text, isCut } = await documents.extractText({ path, contentType })
    return { type: 'text', text: writeAttachment(name, text, isCut) }
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    const { message: reason, canTryAgain } = error
    if (canTryAgain) throw fail('server.unavailable', { reason })
    throw fail('request.invalid', { reason: sentence('openai.file_unreadable', { name, reason }) })
  } finally {
    await rm(path, { force: true })
  }
}
