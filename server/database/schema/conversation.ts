import { boolean, foreignKey, pgTable, text, unique, uuid } from '../drizzle.ts'
import { chats } from './chat.ts'
import { createdAt, id, updatedAt } from './columns.ts'

/**
 * Conversations. A conversation's messages are in the chat with the same id. Deleting the chat deletes the
 * conversation.
 */
export const conversations = pgTable(
  'conversations',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    userId: uuid('user_id').notNull(),
    title: text('title').notNull(),
    isArchived: boolean('is_archived').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('conversations_owner').on(table.organizationId, table.userId, table.id),
    foreignKey({
      name: 'conversations_chat',
      columns: [table.organizationId, table.userId, table.id],
      foreignColumns: [chats.organizationId, chats.userId, chats.id],
    }).onDelete('cascade'),
  ],
)

/** The sessions of conversations. A session is a model that takes part in a conversation. */
export const conversationSessions = pgTable(
  'conversation_sessions',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    userId: uuid('user_id').notNull(),
    conversationId: uuid('conversation_id').notNull(),
    modelId: uuid('model_id').notNull(),
    status: text('status', { enum: ['active', 'completed'] })
      .notNull()
      .default('active'),
    /** The reply that the session's model is writing. Writers must hold the lock of the conversation's chat. */
    activeReplyId: uuid('active_reply_id'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('conversation_sessions_conversation').on(table.conversationId, table.id),
    foreignKey({
      name: 'conversation_sessions_owner',
      columns: [table.organizationId, table.userId, table.conversationId],
      foreignColumns: [conversations.organizationId, conversations.userId, conversations.id],
    }).onDelete('cascade'),
  ],
)
