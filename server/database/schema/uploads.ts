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
 * Files that users have uploaded or models have generated. Each belongs to one user in one organization. However a row
 * is deleted, a trigger adds its key to deleted_files and returns its bytes to the quota (organizations.stored_bytes).
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
    /** Null: not in a chat yet. */
    chatId: uuid('chat_id'),
    source: text('source', { enum: ['user', 'model'] }).notNull(),
    /** Unique within its chat. */
    filename: text('filename').notNull(),
    contentType: text('content_type').notNull(),
    size: bigint('size', { mode: 'number' }).notNull(),
    /** The storage key: `{organization}/{chat or upload}/{filename}`. */
    storageKey: text('storage_key').notNull().unique(),
    /** pending: recorded and counted, but not in storage yet. */
    status: text('status', { enum: ['pending', 'stored'] }).notNull(),
    textExtracted: boolean('text_extracted').notNull().default(false),
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

/** The extracted texts of uploads. A separate table, since they may be long. */
export const uploadTexts = pgTable(
  'upload_texts',
  {
    uploadId: uuid('upload_id').primaryKey(),
    organizationId: uuid('organization_id').notNull(),
    userId: uuid('user_id').notNull(),
    text: text('text').notNull(),
    /** The text is truncated. */
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

/** Storage keys of files to delete. */
export const deletedFiles = pgTable('deleted_files', {
  storageKey: text('storage_key').primaryKey(),
  createdAt: createdAt(),
})
