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
 * Files: those that users have sent, and those that models have made. Each belongs to one user in one organization.
 * A row that goes, for whatever reason, leaves its key in deleted_files and gives its bytes back to the quota
 * (organizations.stored_bytes): a trigger sees to both.
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
    /** Null: in no chat yet. */
    chatId: uuid('chat_id'),
    source: text('source', { enum: ['user', 'model'] }).notNull(),
    /** Unique within its chat. */
    filename: text('filename').notNull(),
    contentType: text('content_type').notNull(),
    size: bigint('size', { mode: 'number' }).notNull(),
    /** Where it is stored: `{organization}/{chat or upload}/{filename}`. */
    storageKey: text('storage_key').notNull().unique(),
    /** pending: noted and counted, but not yet in the storage. */
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

/** What an upload says, as far as it is text; apart, since it may be long. */
export const uploadTexts = pgTable(
  'upload_texts',
  {
    uploadId: uuid('upload_id').primaryKey(),
    organizationId: uuid('organization_id').notNull(),
    userId: uuid('user_id').notNull(),
    text: text('text').notNull(),
    /** The file says more than is kept here. */
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

/** Keys whose files are to be removed from the storage. */
export const deletedFiles = pgTable('deleted_files', {
  storageKey: text('storage_key').primaryKey(),
  createdAt: createdAt(),
})
