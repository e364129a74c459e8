import Type, { type Static } from 'typebox'
import type { conversationSessions, conversations } from '#database/schema/conversation.ts'
import {
  Body,
  CreatedAt,
  described,
  Enum,
  FailedReply,
  FailureFields,
  InputTokens,
  idOf,
  messageText,
  Nullable,
  ObjectId,
  OrganizationId,
  OutputTokens,
  PageOf,
  PLAIN,
  UpdatedAt,
} from '#platform/http/schemas.ts'
import { FinishReasonField } from '../chat/index.ts'

const CONTENT_CHARACTERS_MAX = 1_000_000
const Title = Type.String({
  minLength: 1,
  maxLength: 500,
  ...PLAIN,
  description: 'Title of the conversation.',
})

export const NewConversation = Body({
  title: Title,
  is_archived: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether the conversation is archived.' }),
  ),
})
export type NewConversation = Static<typeof NewConversation>

export const ConversationChange = Body({
  title: Type.Optional(Title),
  is_archived: Type.Optional(Type.Boolean({ description: 'Whether the conversation is archived.' })),
})
export type ConversationChange = Static<typeof ConversationChange>

export const NewSession = Body({
  conversation_id: idOf('the conversation'),
  model_id: idOf('the model that replies in the session'),
})
export type NewSession = Static<typeof NewSession>

export const NewChatMessage = Body({
  chat_session_id: idOf('the session whose model replies'),
  message: messageText(CONTENT_CHARACTERS_MAX),
})
export type NewChatMessage = Static<typeof NewChatMessage>

const conversation = {
  id: ObjectId,
  title: Type.String({ description: 'Title of the conversation.' }),
  is_archived: Type.Boolean({ description: 'Whether the conversation is archived.' }),
  organization_id: OrganizationId,
  user_id: idOf('the user who owns the conversation'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}
export const ConversationView = Type.Object(conversation, { title: 'Conversation' })
export type ConversationView = Static<typeof ConversationView>
export const ConversationPage = PageOf(ConversationView, 'ConversationPage')

export const SessionView = Type.Object(
  {
    id: ObjectId,
    conversation_id: idOf('the conversation'),
    model_id: idOf('the model that replies in the session'),
    status: Enum(['active', 'completed'], { description: 'Status of the session.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { title: 'ConversationSession' },
)
export type SessionView = Static<typeof SessionView>

export const ConversationWithSessions = Type.Object(
  {
    ...conversation,
    sessions: Type.Array(SessionView, { description: 'Sessions of the conversation, one per model.' }),
  },
  { title: 'ConversationWithSessions' },
)

const Usage = Type.Object({ input_tokens: InputTokens, output_tokens: OutputTokens })

export const ConversationMessage = Type.Object(
  {
    id: ObjectId,
    conversation_id: idOf('the conversation'),
    parent_message_id: Nullable(
      Type.String({
        format: 'uuid',
        description:
          'For a reply, the ID of its question. For a question, the ID of the newest reply that its session saw; null for the first question.',
      }),
    ),
    role: Enum(['user', 'assistant'], { description: 'Author of the message.' }),
    content: Type.String({ description: 'Text of the message.' }),
    status: Enum(['streaming', 'complete', 'stopped', 'error'], { description: 'Status of the message.' }),
    ...FailureFields,
    finish_reason: FinishReasonField,
    model_id: Nullable(
      idOf('the model that replied, or that the message was sent to; null if it was not imported'),
    ),
    usage: Nullable(described(Usage, 'Usage of the reply; null for user messages.')),
    created_at: CreatedAt,
  },
  { title: 'ConversationMessage' },
)
export type ConversationMessage = Static<typeof ConversationMessage>

export const MessageList = Type.Object(
  {
    messages: Type.Array(ConversationMessage, { description: 'Messages of this page.' }),
    total: Type.Integer({ description: 'Number of messages in the conversation.' }),
    limit: Type.Integer({ description: 'Maximum number of messages per page.' }),
    offset: Type.Integer({ description: 'Number of skipped messages.' }),
  },
  { title: 'ConversationMessages' },
)

export const ConversationEvent = Type.Unsafe<object>({
  title: 'ConversationEvent',
  description: 'Data of the events start, content and end, in this order. An error event ends the stream.',
  anyOf: [
    Type.Object({ message_id: idOf('the reply'), chat_session_id: idOf('the session that replies') }),
    Type.Object({ content: Type.String({ description: 'Next piece of the reply.' }) }),
    Type.Object({
      message_id: idOf('the reply'),
      finish_reason: FinishReasonField,
      usage: Nullable(described(Usage, 'Usage of the reply; null if unknown.')),
    }),
    FailedReply,
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
