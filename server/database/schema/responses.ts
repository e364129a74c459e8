import {
  bigint,
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  sql,
  text,
  unique,
  uuid,
} from '../drizzle.ts'
import { apiKeys } from './api-keys.ts'
import { users } from './auth.ts'
import { createdAt, id, moment } from './columns.ts'
import { organizations } from './org.ts'

/**
 * Stored responses of /openai/v1/responses. Each belongs to the user who requested it, or to the user of a deployment.
 * A response that was requested with an API key is visible only with this key, and is deleted with it.
 */
export const responses = pgTable(
  'responses',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    apiKeyId: uuid('api_key_id'),
    /**
     * The response that this one continues. Not a foreign key: if the earlier response is gone, this one cannot be
     * continued, because its context would be incomplete.
     */
    previousId: uuid('previous_id'),
    /** The response in OpenAI's format, without its output. */
    view: jsonb('view').$type<Record<string, unknown>>().notNull(),
    /** Bytes of the row and its items, as counted in `organizations.stored_bytes`. */
    storedBytes: bigint('stored_bytes', { mode: 'number' }).notNull().default(0),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    unique('responses_owner').on(table.organizationId, table.userId, table.id),
    index('responses_user').on(table.userId),
    index('responses_api_key')
      .on(table.organizationId, table.apiKeyId)
      .where(sql`${table.apiKeyId} is not null`),
    index('responses_expiry').on(table.expiresAt),
    foreignKey({
      name: 'responses_key',
      columns: [table.organizationId, table.apiKeyId],
      foreignColumns: [apiKeys.organizationId, apiKeys.id],
    }).onDelete('cascade'),
  ],
)

/** The items that a response added to its conversation: first its input, then its output. */
export const responseItems = pgTable(
  'response_items',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    userId: uuid('user_id').notNull(),
    responseId: uuid('response_id').notNull(),
    position: integer('position').notNull(),
    isOutput: boolean('is_output').notNull(),
    /** The item in OpenAI's format, without its id. */
    content: jsonb('content').$type<Record<string, unknown>>().notNull(),
    /** Opaque data that the provider requires with a function call in the next request. */
    signature: text('signature'),
    /** Size of the content as JSON text and of the signature. */
    bytes: integer('bytes').notNull(),
  },
  (table) => [
    unique('response_items_position').on(table.responseId, table.position),
    foreignKey({
      name: 'response_items_response',
      columns: [table.organizationId, table.userId, table.responseId],
      foreignColumns: [responses.organizationId, responses.userId, responses.id],
    }).onDelete('cascade'),
  ],
)

/** Conversations of /openai/v1/conversations: named histories that responses read and continue. Owned as responses are. */
export const responseConversations = pgTable(
  'response_conversations',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    apiKeyId: uuid('api_key_id'),
    metadata: jsonb('metadata').$type<Record<string, unknown>>().notNull(),
    /** Bytes of the row and its items, as counted in `organizations.stored_bytes`. */
    storedBytes: bigint('stored_bytes', { mode: 'number' }).notNull().default(0),
    createdAt: createdAt(),
    /** Postponed with each addition. */
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    unique('response_conversations_owner').on(table.organizationId, table.userId, table.id),
    index('response_conversations_user').on(table.userId),
    index('response_conversations_api_key')
      .on(table.organizationId, table.apiKeyId)
      .where(sql`${table.apiKeyId} is not null`),
    index('response_conversations_expiry').on(table.expiresAt),
    foreignKey({
      name: 'response_conversations_key',
      columns: [table.organizationId, table.apiKeyId],
      foreignColumns: [apiKeys.organizationId, apiKeys.id],
    }).onDelete('cascade'),
  ],
)

/** The items of conversations. An item that a response added has the same id as the response's item. */
export const responseConversationItems = pgTable(
  'response_conversation_items',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    userId: uuid('user_id').notNull(),
    conversationId: uuid('conversation_id').notNull(),
    /** Order of the items. */
    position: bigint('position', { mode: 'number' }).generatedAlwaysAsIdentity(),
    content: jsonb('content').$type<Record<string, unknown>>().notNull(),
    signature: text('signature'),
    bytes: integer('bytes').notNull(),
  },
  (table) => [
    unique('response_conversation_items_position').on(table.conversationId, table.position),
    foreignKey({
      name: 'response_conversation_items_conversation',
      columns: [table.organizationId, table.userId, table.conversationId],
      foreignColumns: [
        responseConversations.organizationId,
        responseConversations.userId,
        responseConversations.id,
      ],
    }).onDelete('cascade'),
  ],
)
