import {
  bigint,
  boolean,
  foreignKey,
  index,
  pgTable,
  sql,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '../drizzle.ts'
import { users } from './auth.ts'
import { chats } from './chat.ts'
import { createdAt, id } from './columns.ts'
import { organizations } from './org.ts'

/**
 * Files that users have uploaded or models have generated. Each belongs to one user in one organization. When a row
 * is deleted, a trigger adds its storage key to deleted_files and subtracts its size from organizations.stored_bytes.
 */
export const uploads = pgTable(
  'uploads',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The chat that contains the file. Null if the file isn't in a chat yet. */
    chatId: uuid('chat_id'),
    source: text('source', { enum: ['user', 'model'] }).notNull(),
    /** The file name, unique within the chat. */
    filename: text('filename').notNull(),
    contentType: text('content_type').notNull(),
    size: bigint('size', { mode: 'number' }).notNull(),
    /** The key in object storage: `{organization}/{chat or upload}/{filename}`. */
    storageKey: text('storage_key').notNull().unique(),
    /** `pending`: the upload counts toward the quota, but its file is not in storage yet. */
    status: text('status', { enum: ['pending', 'stored'] }).notNull(),
    textExtracted: boolean('text_extracted').notNull().default(false),
    /** Why no text was extracted. Null if there is text, or if files of the type have none. */
    textError: text('text_error'),
    /** The encoding in which the file was read, if it was chosen or guessed. */
    textEncoding: text('text_encoding'),
    /** True if another encoding is almost as likely. */
    isEncodingDoubtful: boolean('is_encoding_doubtful').notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [
    unique('uploads_owner').on(table.organizationId, table.userId, table.id),
    foreignKey({
      name: 'uploads_chat',
      columns: [table.organizationId, table.userId, table.chatId],
      foreignColumns: [chats.organizationId, chats.userId, chats.id],
    }).onDelete('cascade'),
    uniqueIndex('uploads_filename').on(table.chatId, table.filename).where(sql`${table.chatId} is not null`),
    index('uploads_pending').on(table.createdAt).where(sql`${table.status} = 'pending'`),
  ],
)

/** The text extracted from uploads. A separate table, because texts may be long. */
export const uploadTexts = pgTable(
  'upload_texts',
  {
    uploadId: uuid('upload_id').primaryKey(),
    organizationId: uuid('organization_id').notNull(),
    userId: uuid('user_id').notNull(),
    text: text('text').notNull(),
    /** True if the text is truncated. */
    isCut: boolean('is_cut').notNull(),
  },
  (table) => [
    foreignKey({
      name: 'upload_texts_upload',
      columns: [table.organizationId, table.userId, table.uploadId],
      foreignColumns: [uploads.organizationId, uploads.userId, uploads.id],
    }).onDelete('cascade'),
  ],
)

/** Storage keys of files that must still be deleted from storage. */
export const deletedFiles = pgTable('deleted_files', {
  storageKey: text('storage_key').primaryKey(),
  createdAt: createdAt(),
})
