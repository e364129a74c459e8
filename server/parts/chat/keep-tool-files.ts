import { rm } from 'node:fs/promises'
import { AppError, sentence } from '#errors'
import { ACCEPTED_TYPES } from '#platform/documents/accepted-types.ts'
import type { RunnableTool, ToolFile } from '#platform/models/tool-loop.ts'
import type { ImagePart } from '#platform/models/types.ts'
import type { Services } from '#platform/services.ts'
import { writeLocalFile } from '#platform/storage/local-file.ts'
import type { LocalFile } from '#platform/storage/storage.ts'
import { storeReceivedFile } from '#platform/storage/store-received-file.ts'
import type { Reply } from './reply.ts'

/** Maximum characters of a file's text in a tool's output. */
const TEXT_CHARACTERS_MAX = 100_000

export type KeepingServices = Pick<Services, 'config' | 'documents' | 'uploads' | 'log'>

/** A file as the model sees it, in the tool's output. */
interface DescribedFile {
  filename: string
  bytes: number
  content_type?: string
  text?: string
  /** Why the file is not attached to the reply. */
  error?: string
}

/**
 * Wraps a tool so that the files in its results become files of the reply. The model receives their names and texts,
 * and also the images if it `canSee`.
 */
export const keepingFiles = (
  services: KeepingServices,
  reply: Reply,
  canSee: boolean,
  tool: RunnableTool,
): RunnableTool => ({
  ...tool,
  async run(input, signal) {
    const { files = [], ...outcome } = await tool.run(input, signal)
    if (files.length === 0) return outcome
    const attachments: DescribedFile[] = []
    const images: ImagePart[] = []
    for (const file of files) {
      const described = await keepFile(services, reply, file)
      attachments.push(described)
      const type = ACCEPTED_TYPES.get(described.content_type ?? '')
      if (canSee && type?.isVisionImage)
        images.push({ type: 'image', mimeType: type.contentType, data: file.data })
    }
    return { ...outcome, output: { result: outcome.output, attachments }, images }
  },
})

/** Stores a file, and adds it to the reply. Never throws, because the rest of the tool's output may suffice. */
async function keepFile(
  { config, documents, uploads, log }: KeepingServices,
  reply: Reply,
  { name, data }: ToolFile,
): Promise<DescribedFile> {
  const { organization_id: organizationId, user_id: userId, chat_id: chatId } = reply.ids
  let local: LocalFile | undefined
  try {
    local = await writeLocalFile(config.dataDir, data)
    const owner = { organizationId, userId, chatId }
    const stored = await storeReceivedFile(
      { documents, uploads },
      owner,
      { ...local, name },
      { source: 'model' },
    )
    reply.fileIds.push(stored.id)
    const { filename, contentType, text } = stored
    return {
      filename,
      bytes: data.length,
      content_type: contentType,
      ...(text && { text: text.text.slice(0, TEXT_CHARACTERS_MAX) }),
    }
  } catch (error) {
    const isExpected = error instanceof AppError
    if (!isExpected)
      log.warn({ err: error, message_id: reply.ids.message_id }, "a tool's file could not be stored")
    return {
      filename: name,
      bytes: data.length,
      error: isExpected ? error.message : sentence('reply.file_not_stored'),
    }
  } finally {
    if (local) await rm(local.path, { force: true })
  }
}
