import { and, desc, eq, lt, type SQL } from '#database/drizzle.ts'
import { UUID } from '#database/new-id.ts'
import { uploads } from '#database/schema/uploads.ts'
import { fail } from '#errors'
import type { FileStream } from '#platform/http/define-route.ts'
import type { ReceivedFile } from '#platform/http/receive-file.ts'
import type { Services } from '#platform/services.ts'
import { storeReceivedFile } from '#platform/storage/store-received-file.ts'
import type { UploadRow } from '#platform/storage/view-upload.ts'
import type { Sender } from '../agents/index.ts'
import type { FileList, FileView } from './file-schemas.ts'

/*
 * Implements OpenAI's files as the caller's uploads. https://platform.openai.com/docs/api-reference/files The holder of
 * a deployment's key has none: the scope of a deployment is that of its owner.
 */

const LIST_DEFAULT = 100

/** Stores a file. Throws openai.only_agent, and the errors of storeReceivedFile. */
export async function createFile(
  services: Pick<Services, 'documents' | 'uploads'>,
  sender: Sender,
  file: ReceivedFile,
): Promise<FileView> {
  const { organizationId, userId } = ownScope(sender)
  const owner = { organizationId, userId, chatId: null }
  const { id } = await storeReceivedFile(services, owner, file, { commitsWithAnswer: true })
  return viewFile(await findFile(sender, id))
}

/** Lists files, newest first. Throws openai.only_agent. */
export async function listFiles(
  sender: Sender,
  { limit = LIST_DEFAULT, after }: { limit?: number; after?: string },
): Promise<FileList> {
  const rows = await ownScope(sender).select(uploads, {
    where: storedAnd(after === undefined ? undefined : lt(uploads.id, idOf(after))),
    orderBy: [desc(uploads.id)],
    limit: limit + 1,
  })
  const data = rows.slice(0, limit).map(viewFile)
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: rows.length > limit,
  }
}

/** Returns a file. Throws upload.not_found, openai.only_agent. */
export const getFile = async (sender: Sender, id: string): Promise<FileView> =>
  viewFile(await findFile(sender, id))

/** Returns the content of a file. Throws upload.not_found, openai.only_agent. */
export async function readFileContent(
  { storage }: Pick<Services, 'storage'>,
  sender: Sender,
  id: string,
): Promise<FileStream> {
  const { filename, storageKey } = await findFile(sender, id)
  return { name: filename, content: await storage.open(storageKey) }
}

/** Deletes a file. Throws upload.not_found, openai.only_agent. */
export async function deleteFile(sender: Sender, id: string) {
  const deleted = await ownScope(sender).delete(uploads, storedAnd(eq(uploads.id, idOf(id))))
  if (deleted.length === 0) throw fail('upload.not_found', { value: id })
  return { id, object: 'file' as const, deleted: true }
}

/** Returns an upload of the caller. Throws upload.not_found, openai.only_agent. */
export async function findFile(sender: Sender, id: string): Promise<UploadRow> {
  const [row] = await ownScope(sender).select(uploads, { where: storedAnd(eq(uploads.id, idOf(id))) })
  if (!row) throw fail('upload.not_found', { value: id })
  return row
}

const storedAnd = (condition: SQL | undefined) => and(eq(uploads.status, 'stored'), condition)

function ownScope({ scope, deployment }: Sender): Sender['scope'] {
  if (deployment) throw fail('openai.only_agent')
  return scope
}

function idOf(id: string): string {
  if (!UUID.test(id)) throw fail('upload.not_found', { value: id })
  return id.toLowerCase()
}

const viewFile = ({ id, filename, size, createdAt }: UploadRow): FileView => ({
  id,
  object: 'file',
  bytes: size,
  created_at: Math.floor(createdAt.getTime() / 1000),
  filename,
  purpose: 'user_data',
  status: 'processed',
})
