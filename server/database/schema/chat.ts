import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  sql,
  text,
  unique,
  uuid,
} from '../drizzle.ts'
import { users } from './auth.ts'
import { createdAt, id, moment, updatedAt } from './columns.ts'
import { organizations } from './org.ts'

export interface ChatSettings {
  temperature?: number
  max_tokens?: number
  top_p?: number
}

/** A file that a model has generated. */
export interface StoredMedia {
  type: 'image' | 'video'
  upload_id: string
  mime_type: string
}

/** A passage of a document that a reply was given (contract, 4). */
export interface Citation {
  /** The knowledge base of the document. Missing in rows stored before this field existed. */
  kb_id?: string
  document_id: string
  document_name: string
  chunk_id: string
  /** From 0 to 1. */
  score: number
  snippet: string
}

/** A tool call of a reply, as clients see it (contract, 4). */
export interface StoredToolCall {
  id: string
  name: string
  /** Truncated if it is long. */
  input: Record<string, unknown>
  /** Null until the call has ended; empty if it failed. A value that is not an object is stored as `result`. */
  output: Record<string, unknown> | null
  successful: boolean | null
  error: string | null
  /**
   * The numbers of the named events that reported the start and the end. `ended_event` is null until the call has
   * ended.
   */
  started_event: number
  ended_event: number | null
}

/** Chat sessions. Each belongs to one user in one organization and is invisible to everyone else. */
export const chats = pgTable(
  'chats',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    title: text('title').notNull(),
    status: text('status', { enum: ['ACTIVE', 'ARCHIVED', 'DELETED'] }).notNull(),
    settings: jsonb('settings').$type<ChatSettings>().notNull().default({}),
    /** Contains the messages of a conversation (conversation.ts). Not listed as a chat. */
    isConversation: boolean('is_conversation').notNull().default(false),
    pinned: boolean('pinned').notNull().default(false),
    /** The name of the user's folder for it. */
    folder: text('folder'),
    modelId: uuid('model_id'),
    agentId: uuid('agent_id'),
    /** Set for a session of a deployment (agent-deploy.ts). */
    deploymentId: uuid('deployment_id'),
    /** The deployment's visitor that it belongs to. Null: the holder of the deployment's key. */
    visitorId: text('visitor_id'),
    /** The end of the active branch. Following parents from here yields the conversation. */
    leafMessageId: uuid('leaf_message_id'),
    /** The reply that is being written; at most one per chat. Null for conversations, which have one per session. */
    activeReplyId: uuid('active_reply_id'),
    messageCount: integer('message_count').notNull().default(0),
    inputTokens: bigint('input_tokens', { mode: 'number' }).notNull().default(0),
    outputTokens: bigint('output_tokens', { mode: 'number' }).notNull().default(0),
    credits: numeric('credits', { precision: 24, scale: 6, mode: 'number' }).notNull().default(0),
    lastMessageAt: moment('last_message_at'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('chats_owner').on(table.organizationId, table.userId, table.id),
    // For lists that show few of many chats. No indexed column changes with a message, so its update stays HOT.
    index('chats_pinned').on(table.organizationId, table.userId, table.id).where(sql`${table.pinned}`),
    index('chats_folder')
      .on(table.organizationId, table.userId, table.folder, table.id)
      .where(sql`${table.folder} is not null`),
    index('chats_status')
      .on(table.organizationId, table.userId, table.status, table.id)
      .where(sql`${table.status} <> 'ACTIVE'`),
  ],
)

export const chatMessages = pgTable(
  'chat_messages',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    userId: uuid('user_id').notNull(),
    chatId: uuid('chat_id').notNull(),
    parentMessageId: uuid('parent_message_id'),
    role: text('role', { enum: ['user', 'assistant'] }).notNull(),
    content: text('content').notNull(),
    reasoning: text('reasoning'),
    status: text('status', { enum: ['streaming', 'complete', 'stopped', 'error'] }).notNull(),
    error: text('error'),
    modelId: uuid('model_id'),
    agentId: uuid('agent_id'),
    inputTokens: integer('input_tokens'),
    outputTokens: integer('output_tokens'),
    /** The price of its usage. Null: none, or it was charged in the organization that the chat was imported from. */
    credits: numeric('credits', { precision: 24, scale: 6, mode: 'number' }),
    /** The files attached to a user's message. */
    uploadIds: uuid('upload_ids').array(),
    /** Passages from knowledge bases that the reply was given. */
    citations: jsonb('citations').$type<Citation[]>(),
    /** Images and videos of a reply. */
    media: jsonb('media').$type<StoredMedia[]>(),
    toolCalls: jsonb('tool_calls').$type<StoredToolCall[]>(),
    createdAt: createdAt(),
  },
  (table) => [
    unique('chat_messages_chat').on(table.chatId, table.id),
    foreignKey({
      name: 'chat_messages_owner',
      columns: [table.organizationId, table.userId, table.chatId],
      foreignColumns: [chats.organizationId, chats.userId, chats.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'chat_messages_parent',
      columns: [table.chatId, table.parentMessageId],
      foreignColumns: [table.chatId, table.id],
    }),
    check('chat_messages_status', sql`${table.role} = 'assistant' or ${table.status} = 'complete'`),
  ],
)

/** Maps an Idempotency-Key of send_message to its reply; kept 24 hours (contract, 5). */
export const replyKeys = pgTable(
  'reply_keys',
  {
    organizationId: uuid('organization_id').notNull(),
    userId: uuid('user_id').notNull(),
    key: text('key').notNull(),
    requestHash: text('request_hash').notNull(),
    chatId: uuid('chat_id').notNull(),
    messageId: uuid('message_id').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    unique('reply_keys_key').on(table.userId, table.key),
    foreignKey({
      name: 'reply_keys_chat',
      columns: [table.organizationId, table.userId, table.chatId],
      foreignColumns: [chats.organizationId, chats.userId, chats.id],
    }).onDelete('cascade'),
  ],
)
