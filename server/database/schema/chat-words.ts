import { customType, foreignKey, index, integer, pgTable, sql, text, uuid } from '../drizzle.ts'
import { chats } from './chat.ts'
import { moment } from './columns.ts'

const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' })

/**
 * The words of messages and of chat titles, for search. Filled by a sweep, so that storing a message costs nothing
 * extra. Each word is prefixed with its owner's mark, so a search reads only that user's words.
 */
export const chatWords = pgTable(
  'chat_words',
  {
    /** The id of the message, or of the chat for the words of its title. */
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id').notNull(),
    userId: uuid('user_id').notNull(),
    chatId: uuid('chat_id').notNull(),
    /** The indexed title. Null if the row has the words of a message. */
    title: text('title'),
    /** Null: not indexed yet, or to be indexed again. */
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
    // Without GIN's pending list, which every search would scan completely.
    index('chat_words_words').using('gin', table.words).with({ fastupdate: false }),
  ],
)

/** The progress of the indexing sweep through all messages and titles. A single row. */
export const chatWordsWalk = pgTable('chat_words_walk', {
  one: integer('one').primaryKey(),
  /** Older rows are still to be checked. Null: the sweep is idle. */
  below: uuid('below'),
  restUntil: moment('rest_until').notNull(),
})
