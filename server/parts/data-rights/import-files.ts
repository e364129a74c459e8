import { rm } from 'node:fs/promises'
import { fail, sentence } from '#errors'
import type { Services } from '#platform/services.ts'
import { newIncomingPath, saveContent } from '#platform/storage/local-file.ts'
import { storeReceivedFile } from '#platform/storage/store-received-file.ts'
import { readLine } from './check-archive.ts'
import type { LineOf } from './import-schemas.ts'
import { type Importing, isLeftOut, OF_OTHERS } from './importing.ts'
import type { Archive } from './read-archive.ts'

type Dependencies = Pick<Services, 'config' | 'documents' | 'uploads'>

/**
 * Imports the importing user's files sequentially. Each file passes the steps of an upload: type detection, text
 * extraction, quota, and limit per chat. A file that fails is left out.
 */
export async function importFiles(deps: Dependencies, archive: Archive, importing: Importing): Promise<void> {
  for await (const line of archive.readLines('files')) {
    const file = readLine('files', line)
    if (!importing.isOwn(file)) {
      importing.leaveOut('files', OF_OTHERS)
      continue
    }
    const content = archive.openFile(file.id)
    if (content === null) {
      importing.leaveOut('files', 'the export does not contain their content')
      continue
    }
    try {
      await keepFile(deps, importing, file, content)
      importing.keep('files', file.id)
    } catch (error) {
      if (!isLeftOut(error)) throw error
      importing.leaveOut('files', error.message)
    }
  }
}

async function keepFile(
  deps: Dependencies,
  importing: Importing,
  { id, filename, size, source, chat_id: chat }: LineOf<'files'>,
  content: AsyncIterable<Buffer>,
): Promise<void> {
  const { organizationId, userId } = importing
  const path = await newIncomingPath(deps.config.dataDir)
  const sizeMismatch = () =>
    fail('import.invalid', { location: `files/${id}`, reason: sentence('import.file_size') })
  try {
    const saved = await saveContent(content, path, size, sizeMismatch)
    if (saved.size !== size) throw sizeMismatch()
    const chatId = chat !== null && importing.has('chats', chat) ? importing.idOf(chat) : null
    const received = { ...saved, name: filename }
    const owner = { id: importing.idOf(id), organizationId, userId, chatId }
    await storeReceivedFile(deps, owner, received, { source })
  } finally {
    await rm(path, { force: true })
  }
}
