import type { TransactionSql } from 'postgres'
import { afterRollback } from '#database/ambient.ts'
import type { OpenDatabase } from '#database/connect.ts'
import { newId } from '#database/new-id.ts'
import { fail } from '#errors'
import { lockOrganization } from '../access/organization-lock.ts'
import type { ExtractedText } from '../documents/bounded-text.ts'
import { commitWithAnswer } from '../idempotency/pending-answer.ts'
import { readFeatures } from '../limits/features.ts'
import { reserveBytes } from '../limits/stored-bytes.ts'
import { BatchSize, type Pacer } from '../sweeps/pacer.ts'
import type { Sweeps } from '../sweeps/sweeps.ts'
import { safeFilename, uniqueFilename } from './filenames.ts'
import { clearIncoming } from './local-file.ts'
import type { LocalFile, Storage } from './storage.ts'

/** A file to store. */
export interface NewUpload {
  /** Id of an imported upload. Default: a new id. */
  id?: string
  organizationId: string
  userId: string
  /** Null until the upload is attached to a chat. */
  chatId: string | null
  /** Creator of the file. Files created by models do not count against a chat's limit. */
  source: 'user' | 'model'
  /** The client's name for the file. */
  name: string
  contentType: string
  /** The extracted text. Null if there is none. */
  text: ExtractedText | null
  /** Why no text was extracted. Null if there is text, or if files of the type have none. */
  textError: string | null
  /** If true, the upload becomes visible in the transaction that stores the handler's response (commitWithAnswer). */
  commitsWithAnswer?: boolean
}

/**
 * The files of organizations. A file is recorded and counted against the quota before it is stored. It becomes
 * visible only after it has been stored. If a file's row is deleted for any reason, a trigger queues the file for
 * removal from storage.
 */
export interface Uploads {
  /** Stores a file. Throws upload.quota, upload.chat_full, chat.not_found, server.unavailable. */
  keep(upload: NewUpload, content: LocalFile): Promise<{ id: string; key: string }>
  /**
   * Throws upload.chat_full if attaching these files to the chat would exceed the chat's limit. Files that are
   * already in a chat do not count.
   */
  checkQuota(
    organizationId: string,
    chatId: string | null,
    files: readonly { chatId: string | null }[],
  ): Promise<void>
  /** Returns whether a file has been deleted but may still be in the storage. */
  isDeleted(key: string): Promise<boolean>
  /** Attaches files that belong to no chat yet. */
  attach(
    chat: { organization_id: string; chat_id: string },
    files: readonly { id: string; filename: string }[],
  ): Promise<void>
  /** Starts to remove deleted and abandoned files at an interval. Returns a function that stops it. */
  startSweep(sweeps: Sweeps): () => void
  /** Removes deleted and abandoned files now. Returns the number of removed files. */
  sweep(): Promise<number>
}

const SWEEP_MS = 10_000
/** Maximum number of files per sweep, and maximum number of concurrent removals. */
const SWEEP_MAX = 200
const REMOVALS_AT_ONCE = 8
const REMOVALS = new BatchSize({ least: REMOVALS_AT_ONCE, most: REMOVALS_AT_ONCE })
/** Age after which a pending upload is abandoned, because its process has crashed. */
const PENDING_HOURS_MAX = 1

interface UploadsDependencies {
  database: OpenDatabase
  storage: Storage
  pacer: Pacer
  dataDir: string
}

export function createUploads({ database: { sql }, storage, pacer, dataDir }: UploadsDependencies): Uploads {
  async function findDeleted(): Promise<string[]> {
    await clearIncoming(dataDir)
    await sql`
      delete from uploads
      where status = 'pending' and created_at < now() - ${PENDING_HOURS_MAX} * interval '1 hour'`
    const rows = await sql<{ storage_key: string }[]>`
      select storage_key from deleted_files order by created_at limit ${SWEEP_MAX}`
    return rows.map((row) => row.storage_key)
  }

  async function remove(keys: string[]): Promise<number> {
    let removed = 0
    let failure: PromiseRejectedResult | undefined
    for (let index = 0; index < keys.length; index += REMOVALS_AT_ONCE) {
      const some = keys.slice(index, index + REMOVALS_AT_ONCE)
      const ends = await Promise.allSettled(some.map((key) => storage.delete(key)))
      const removedKeys = some.filter((_key, index) => ends[index]?.status === 'fulfilled')
      await pacer.pace(REMOVALS, () => noteRemovals(sql, some, removedKeys))
      removed += removedKeys.length
      failure ??= ends.find((end) => end.status === 'rejected')
    }
    if (failure) throw failure.reason
    return removed
  }

  return {
    async keep(upload, content) {
      const reserved = await sql.begin((tx) => reserve(tx, upload, content.size))
      try {
        await storage.put({ key: reserved.key, contentType: upload.contentType }, content)
        const arrive = () => sql.begin((tx) => noteArrival(tx, reserved.id, upload))
        await (upload.commitsWithAnswer ? commitWithAnswer(arrive) : arrive())
        return reserved
      } catch (error) {
        await afterRollback(() => forget(sql, reserved))
        throw error
      }
    },
    async checkQuota(organizationId, chatId, files) {
      const added = files.filter((file) => file.chatId === null).length
      if (added === 0) return
      const { chat_uploads: limit } = await readFeatures(sql, organizationId)
      const [{ count } = { count: 0 }] = await sql<{ count: number }[]>`
        select count(*)::int as count from uploads where chat_id = ${chatId} and source = 'user'`
      if (count + added > limit) throw fail('upload.chat_full', { limit })
    },
    async isDeleted(key) {
      const rows = await sql`select from deleted_files where storage_key = ${key}`
      return rows.count > 0
    },
    attach: ({ organization_id: organizationId, chat_id: chatId }, files) =>
      sql.begin(async (tx) => {
        await lockOrganization(tx, organizationId, 'records')
        const locked = await tx`select from chats where id = ${chatId} for key share`
        if (locked.count === 0) return // the chat was deleted; leave the files unattached
        await tx`
          select from uploads where id = any(${files.map(({ id }) => id)}::uuid[]) and organization_id = ${organizationId}
          order by id for no key update`
        // Assign file names one transaction at a time. Take this lock only now, because deletions lock the chat and the
        // upload before the organization.
        await lockOrganization(tx, organizationId, 'members')
        const taken = new Set(
          (await tx<{ filename: string }[]>`select filename from uploads where chat_id = ${chatId}`).map(
            ({ filename }) => filename,
          ),
        )
        for (const file of files) {
          const filename = uniqueFilename(file.filename, taken)
          taken.add(filename)
          // Unlocked: the lock on the organization keeps the names as they were read.
          await tx`
            update uploads set chat_id = ${chatId}, filename = ${filename}
            where id = ${file.id} and organization_id = ${organizationId} and chat_id is null`
        }
      }),
    startSweep(sweeps) {
      const failure = 'deleted files could not be removed from storage'
      return sweeps.begin({
        name: 'deleted files',
        everyMs: SWEEP_MS,
        find: findDeleted,
        work: remove,
        failure,
      }).end
    },
    sweep: async () => remove(await findDeleted()),
  }
}

/** Forgets removed files. Moves the others to the end of the queue, so that they don't block other files. */
async function noteRemovals(sql: OpenDatabase['sql'], keys: string[], removed: string[]): Promise<number> {
  await sql`delete from deleted_files where storage_key = any(${removed})`
  await sql`update deleted_files set created_at = now() where storage_key = any(${keys})`
  return keys.length
}

/**
 * Cancels a reservation. Queues the key for removal even if the row is already deleted, because the file may have been
 * stored after the row was deleted.
 */
async function forget(sql: OpenDatabase['sql'], { id, key }: { id: string; key: string }): Promise<void> {
  await sql`delete from uploads where id = ${id}`
  await sql`
    insert into deleted_files (storage_key)
    select ${key} where not exists (select from uploads where storage_key = ${key}) on conflict do nothing`
}

/** Makes a stored file visible, and stores its text. */
async function noteArrival(
  tx: TransactionSql,
  id: string,
  { organizationId, userId, chatId, text, textError }: NewUpload,
): Promise<void> {
  const arrived = await tx`
    update uploads
    set status = 'stored', text_extracted = ${text !== null}, text_error = ${textError},
      text_encoding = ${text?.encoding?.encoding ?? null},
      is_encoding_doubtful = ${text?.encoding?.isDoubtful ?? false}
    where id = ${id}`
  // The chat and its files were deleted meanwhile.
  if (arrived.count === 0) throw fail('chat.not_found', { value: chatId ?? '' })
  if (text === null) return
  await tx`
    insert into upload_texts (upload_id, organization_id, user_id, text, is_cut)
    values (${id}, ${organizationId}, ${userId}, ${text.text}, ${text.isCut})`
}

/**
 * Records a file before it is stored. Locks the organization, the chat and the quota in this order, like every
 * deletion.
 */
async function reserve(
  tx: TransactionSql,
  upload: NewUpload,
  size: number,
): Promise<{ id: string; key: string }> {
  const { organizationId, userId, chatId, source, contentType } = upload
  await lockOrganization(tx, organizationId, 'records')
  if (chatId !== null) {
    const locked = await tx`
      select from chats where id = ${chatId} and organization_id = ${organizationId} and user_id = ${userId}
      for key share`
    if (locked.count === 0) throw fail('chat.not_found', { value: chatId })
  }
  const features = await readFeatures(tx, organizationId)
  await reserveBytes(tx, organizationId, size)

  const id = upload.id ?? newId()
  const folder = `${organizationId}/${chatId ?? id}/`
  const taken = await tx<{ filename: string; source: NewUpload['source'] | null }[]>`
    select filename, source from uploads where chat_id = ${chatId}
    union all
    select substr(storage_key, ${folder.length + 1}), null from deleted_files where starts_with(storage_key, ${folder})`
  if (source === 'user' && taken.filter((file) => file.source === 'user').length >= features.chat_uploads)
    throw fail('upload.chat_full', { limit: features.chat_uploads })
  const filename = uniqueFilename(
    safeFilename(upload.name),
    taken.map((file) => file.filename),
  )
  const key = folder + filename
  await tx`
    insert into uploads
      (id, organization_id, user_id, chat_id, source, filename, content_type, size, storage_key, status)
    values (${id}, ${organizationId}, ${userId}, ${chatId}, ${source}, ${filename}, ${contentType}, ${size}, ${key},
      'pending')`
  return { id, key }
}
