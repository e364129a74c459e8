import { customType, foreignKey, index, integer, pgTable, sql, text, uuid } from '../drizzle.ts'
import { chats } from './chat.ts'
import { moment } from './columns.ts'

const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' })

/**
 * A search index over the words of messages and chat titles. A background sweep fills it, so storing a message costs
 * nothing extra. Each word has a prefix derived from the owner, so a search reads only the owner's words.
 */
export const chatWords = pgTable(
  'chat_words',
  {
    /** The id of the message. For a chat's title, the id of the chat. */
    id: uuid('id').primaryKey(),
    organizationId: uuid('organization_id').notNull(),
    userId: uuid('user_id').notNull(),
    chatId: uuid('chat_id').notNull(),
    /** The indexed title. Null for messages. */
    title: text('title'),
    /** The indexed words. Null if the row must be indexed, for the first time or again. */
    words: tsvector('words'),
    /** The version of the indexed words (WORDS_VERSION in platform/retrieval). */
    version: integer('version').notNull().default(0),
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
    // Rows to index again. A higher WORDS_VERSION needs a new index.
    index('chat_words_outdated').on(table.id).where(sql`${table.version} < 1`),
    // Disables GIN's pending list, because every search would scan the whole list.
    index('chat_words_words').using('gin', table.words).with({ fastupdate: false }),
  ],
)

/** How far the indexing sweep has walked through all messages and titles, from newest to oldest. Has a single row. */
export const chatWordsWalk = pgTable('chat_words_walk', {
  one: integer('one').primaryKey(),
  /** The walk must still check the rows with lower ids. Null while the walk pauses until `rest_until`. */
  below: uuid('below'),
  restUntil: moment('rest_until').notNull(),
  /** When the walk in progress began, or the last one if none is in progress. */
  begunAt: moment('begun_at'),
  /** When the last complete walk began. Null before the first complete walk. */
  coveredAt: moment('covered_at'),
})
