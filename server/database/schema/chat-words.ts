import { customType, foreignKey, index, integer, pgTable, sql, text, uuid } from '../drizzle.ts'
import { chats } from './chat.ts'
import { moment } from './columns.ts'

const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' })

/**
 * The words of messages and of chats' titles, for search. Filled from behind by a sweep, so that storing a message
 * costs no more. Each word has its owner's mark before it, so one user's search reads that user's words only.
 */
export const chatWords = pgTable(
  'chat_words',
  {
    /** The message's id; the chat's, where these are the words of its title. */
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id').notNull(),
    userId: uuid('user_id').notNull(),
    chatId: uuid('chat_id').notNull(),
    /** The title that was read; null: these are the words of a message. */
    title: text('title'),
    /** Null: still to be read, or to be read anew. */
    words: tsvector('words'),
  },
  (table) => [
    foreignKey({
      name: 'chat_words_chat',
      columns: [table.organizationId, table.userId, table.chatId],
      foreignColumns: [chats.organizationId, chats.userId, chats.id],
    }).onDelete('cascade'),
    index('chat_words_chat_id').on(table.chatId),
    index('chat_words_owner').on(table.organizationId, table.userId, table.id),
    index('chat_words_unread').on(table.id).where(sql`${table.words} is null`),
    // Without the list of what is still to be sorted in, which each search would read from end to end.
    index('chat_words_words').using('gin', table.words).with({ fastupdate: false }),
  ],
)

/** How far the walk through all messages and titles has come; one row. */
export const chatWordsWalk = pgTable('chat_words_walk', {
  one: integer('one').primaryKey(),
  /** What is older than this is still to be looked at; null: the walk rests. */
  below: uuid('below'),
  restUntil: moment('rest_until').notNull(),
})
