import Type, { type Static } from 'typebox'
import type { conversationSessions, conversations } from '#database/schema/conversation.ts'
import { Body, Enum, Nullable, PageOf, Timestamp, Uuid } from '#platform/http/schemas.ts'

const CONTENT_CHARACTERS_MAX = 1_000_000
const Title = Type.String({ minLength: 1, maxLength: 500 })

export const NewConversation = Body({
  title: Title,
  is_archived: Type.Optional(Type.Boolean({ default: false })),
})
export type NewConversation = Static<typeof NewConversation>

export const ConversationChange = Body({
  title: Type.Optional(Title),
  is_archived: Type.Optional(Type.Boolean()),
})
export type ConversationChange = Static<typeof ConversationChange>

export const NewSession = Body({ conversation_id: Uuid, model_id: Uuid })
export type NewSession = Static<typeof NewSession>

export const NewChatMessage = Body({
  chat_session_id: Uuid,
  message: Type.String({ minLength: 1, maxLength: CONTENT_CHARACTERS_MAX }),
})
export type NewChatMessage = Static<typeof NewChatMessage>

const conversation = {
  id: Uuid,
  title: Type.String(),
  is_archived: Type.Boolean(),
  organization_id: Uuid,
  user_id: Uuid,
  created_at: Timestamp,
  updated_at: Timestamp,
}
export const ConversationView = Type.Object(conversation, { title: 'Conversation' })
export type ConversationView = Static<typeof ConversationView>
export const ConversationPage = PageOf(ConversationView, 'ConversationPage')

export const SessionView = Type.Object(
  {
    id: Uuid,
    conversation_id: Uuid,
    model_id: Uuid,
    status: Enum(['active', 'completed']),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'ConversationSession' },
)
export type SessionView = Static<typeof SessionView>

export const ConversationWithSessions = Type.Object(
  { ...conversation, sessions: Type.Array(SessionView) },
  { title: 'ConversationWithSessions' },
)

const Usage = Type.Object({ input_tokens: Type.Integer(), output_tokens: Type.Integer() })

export const ConversationMessage = Type.Object(
  {
    id: Uuid,
    conversation_id: Uuid,
    parent_message_id: Nullable(
      Type.String({
        format: 'uuid',
        description: 'Of a reply: its question. Of a question: the newest reply that its session saw',
      }),
    ),
    role: Enum(['user', 'assistant']),
    content: Type.String(),
    status: Enum(['streaming', 'complete', 'stopped', 'error']),
    error: Nullable(Type.String()),
    model_id: Nullable(Uuid),
    usage: Nullable(Usage),
    created_at: Timestamp,
  },
  { title: 'ConversationMessage' },
)
export type ConversationMessage = Static<typeof ConversationMessage>

export const MessageList = Type.Object(
  {
    messages: Type.Array(ConversationMessage),
    total: Type.Integer(),
    limit: Type.Integer(),
    offset: Type.Integer(),
  },
  { title: 'ConversationMessages' },
)

export const ConversationEvent = Type.Unsafe<object>({
  title: 'ConversationEvent',
  description: 'What stands behind `data:` of the events start, content, end and error, in this order.',
  anyOf: [
    Type.Object({ message_id: Uuid, chat_session_id: Uuid }),
    Type.Object({ content: Type.String() }),
    Type.Object({ message_id: Uuid, finish_reason: Enum(['stop']), usage: Nullable(Usage) }),
    Type.Object({ error: Type.String() }),
  ],
})

export const viewConversation = (row: typeof conversations.$inferSelect): ConversationView => ({
  id: row.id,
  title: row.title,
  is_archived: row.isArchived,
  organization_id: row.organizationId,
  user_id: row.userId,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

export const viewSession = (row: typeof conversationSessions.$inferSelect): SessionView => ({
  id: row.id,
  conversation_id: row.conversationId,
  model_id: row.modelId,
  status: row.status,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})
