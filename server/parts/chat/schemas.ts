import Type, { type Static } from 'typebox'
import type { chatMessages, chats } from '#database/schema/chat.ts'
import type { Scope } from '#platform/access/scope.ts'
import { ChangeOf } from '#platform/http/merge-fields.ts'
import {
  Body,
  CreatedAt,
  described,
  Enum,
  FailureFields,
  InputTokens,
  idOf,
  messageText,
  NAME,
  Nullable,
  ObjectId,
  OrganizationId,
  OrgId,
  OutputTokens,
  PageOf,
  PLAIN,
  Timestamp,
  UpdatedAt,
  Uuid,
} from '#platform/http/schemas.ts'
import { UploadView } from '#platform/storage/view-upload.ts'
import { viewFailure } from './failure.ts'
import { FinishReasonField } from './finish-reason.ts'
import { viewToolCall } from './tool-calls.ts'

export const CHAT_STATUSES = ['ACTIVE', 'ARCHIVED', 'DELETED'] as const
const CONTENT_CHARACTERS_MAX = 1_000_000
const TOKENS_MAX = 10_000_000

const Title = Type.String({ minLength: 1, maxLength: 500, ...PLAIN, description: 'Title of the chat.' })
const FOLDER = 'Folder of the chat; null for none.'
const Folder = Type.String({ minLength: 1, maxLength: 100, ...NAME, description: FOLDER })
const Unit = Type.Number({ minimum: 0, maximum: 1 })

const Settings = Body(
  {
    temperature: Type.Optional(described(Unit, 'Sampling temperature. Default: that of the agent or model.')),
    max_tokens: Type.Optional(
      Type.Integer({ minimum: 1, maximum: TOKENS_MAX, description: 'Maximum number of tokens per reply.' }),
    ),
    top_p: Type.Optional(described(Unit, 'Nucleus sampling: share of probability mass to sample from.')),
  },
  { title: 'ChatSettings', description: 'Default settings for replies in the chat.' },
)

export const ChatInput = Body({
  title: Type.Optional(Title),
  status: Type.Optional(Enum(CHAT_STATUSES, { description: 'Status of the chat.' })),
  settings: Type.Optional(described(Settings, 'Default settings for replies in the chat.')),
})
export type ChatInput = Static<typeof ChatInput>

export const ChatChange = Body({
  ...ChatInput.properties,
  settings: Type.Optional(ChangeOf(Settings)),
  pinned: Type.Optional(Type.Boolean({ description: 'Whether the chat is pinned.' })),
  folder: Type.Optional(Nullable(Folder)),
  active_message_id: Type.Optional(
    Nullable(
      Type.Unsafe<string>({
        ...Uuid,
        description: 'ID of the reply that ends the active branch; null for none.',
      }),
    ),
  ),
})
export type ChatChange = Static<typeof ChatChange>

/** Query parameters of send_message and regenerate. */
const answering = {
  org_id: OrgId,
  model_id: Type.Optional(idOf('the model that replies')),
  agent_id: Type.Optional(idOf('the agent that replies')),
  instruction_id: Type.Optional(idOf('a saved instruction that guides the reply')),
  temperature: Type.Optional(described(Unit, 'Sampling temperature of the reply.')),
  max_tokens: Type.Optional(
    Type.Integer({ minimum: 1, maximum: TOKENS_MAX, description: 'Maximum number of tokens of the reply.' }),
  ),
  top_p: Type.Optional(described(Unit, 'Nucleus sampling: share of probability mass to sample from.')),
  events: Type.Optional(
    Enum(['all'], {
      description: '`all` also sends named events: meta, citations, tool, finish, usage, failure.',
    }),
  ),
}
export const SendQuery = Type.Object({
  ...answering,
  chat_id: Type.Optional(described(Uuid, 'ID of the chat. Omit it to create a chat.')),
})
export type SendQuery = Static<typeof SendQuery>

export const RegenerateQuery = Type.Object({
  ...answering,
  chat_id: idOf('the chat'),
  message_id: idOf('the reply to regenerate'),
})
export type RegenerateQuery = Static<typeof RegenerateQuery>

const FILES_MAX = 100
const KNOWLEDGE_BASES_MAX = 10

/** Body fields of send_message and regenerate. */
const answer = {
  thinking: Type.Optional(
    Type.Boolean({ description: 'Whether to stream reasoning, if the model supports it.' }),
  ),
  knowledge_base_ids: Type.Optional(
    Type.Array(Uuid, {
      maxItems: KNOWLEDGE_BASES_MAX,
      description: 'IDs of knowledge bases to search for the reply.',
    }),
  ),
}

export const MessageContent = messageText(CONTENT_CHARACTERS_MAX)

export const NewMessage = Body({
  content: MessageContent,
  ...answer,
  file_uploads: Type.Optional(
    Type.Array(Uuid, { maxItems: FILES_MAX, description: 'IDs of uploads to attach to the message.' }),
  ),
  parent_message_id: Type.Optional(
    Nullable(
      Type.Unsafe<string>({
        ...Uuid,
        description:
          'ID of the reply that this message follows, which starts a new branch; null for the beginning of the chat. Default: the end of the active branch.',
      }),
    ),
  ),
})
export type NewMessage = Static<typeof NewMessage>

export const AnotherAnswer = Body(answer)
export type AnotherAnswer = Static<typeof AnotherAnswer>

export const ChatView = Type.Object(
  {
    id: ObjectId,
    organization_id: OrganizationId,
    user_id: idOf('the user who owns the chat'),
    title: Type.String({ description: 'Title of the chat.' }),
    status: Enum(CHAT_STATUSES, { description: 'Status of the chat.' }),
    settings: described(Settings, 'Default settings for replies in the chat.'),
    model_id: Nullable(
      idOf(
        'the model of the last reply; null before the first, and for a public agent of another organization',
      ),
    ),
    agent_id: Nullable(idOf('the agent of the last reply; null if no agent replied')),
    pinned: Type.Boolean({ description: 'Whether the chat is pinned.' }),
    folder: Nullable(Type.String({ description: 'Folder of the chat; null for none.' })),
    active_message_id: Nullable(idOf('the reply that ends the active branch; null for none')),
    usage: Type.Object(
      {
        messages: Type.Integer({ description: 'Messages that the user has sent.' }),
        input_tokens: InputTokens,
        output_tokens: OutputTokens,
        weighted_tokens: Type.Number({ description: 'Weighted tokens of all replies. Equals `credits`.' }),
        credits: Type.Number({ description: 'Credits charged for all replies.' }),
      },
      { description: 'Usage of all messages in the chat.' },
    ),
    last_message_at: Nullable(described(Timestamp, 'When the last message was sent; null if there is none.')),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { title: 'Chat' },
)
export type ChatView = Static<typeof ChatView>

export const LANGUAGES = [
  'en-US',
  'en-GB',
  'es-ES',
  'fr-FR',
  'de-DE',
  'it-IT',
  'pt-BR',
  'ja-JP',
  'ko-KR',
  'zh-CN',
] as const

export const TranscriptView = Type.Object(
  {
    text: Type.String({ description: 'Transcribed text; empty if the recording has no speech.' }),
    language: Type.String({ description: 'Language of the recording.' }),
    duration: Type.Number({ description: 'Length of the recording, in seconds.' }),
  },
  { title: 'Transcript' },
)
export type TranscriptView = Static<typeof TranscriptView>

export const KnowledgeBasePage = PageOf(
  Type.Object(
    {
      id: ObjectId,
      name: Type.String({ description: 'Name of the knowledge base.' }),
      description: Type.String({ description: 'Description for people.' }),
    },
    { title: 'UsableKnowledgeBase' },
  ),
  'UsableKnowledgeBasePage',
)

export const CitationView = Type.Object(
  {
    kb_id: Type.Optional(Type.String({ format: 'uuid', description: 'ID of the knowledge base.' })),
    document_id: idOf('the document'),
    document_name: Type.String({ description: 'Name of the document.' }),
    chunk_id: idOf('the chunk'),
    score: Type.Number({ description: 'Relevance of the passage, from 0 to 1.' }),
    snippet: Type.String({ description: 'Beginning of the passage.' }),
  },
  { title: 'Citation' },
)

const MediaView = Type.Object(
  {
    type: Enum(['image', 'video'], { description: 'Kind of file.' }),
    url: Type.String({ description: 'URL of the file.' }),
    mime_type: Type.String({ description: 'Media type of the file.' }),
  },
  { title: 'Media' },
)
export type MediaView = Static<typeof MediaView>

const ToolCallView = Type.Object(
  {
    id: Type.String({ description: 'ID of the call, unique within the reply.' }),
    name: Type.String({ description: 'Name of the called function.' }),
    input: Type.Object({}, { additionalProperties: true, description: 'Arguments of the call.' }),
    output: Nullable(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'Result of the call; a value that is not an object is in `result`. Null until the call ends.',
        },
      ),
    ),
    successful: Nullable(Type.Boolean({ description: 'Whether the call succeeded; null until it ends.' })),
    error: Nullable(Type.String({ description: 'Reason why the call failed; null if it did not.' })),
  },
  {
    title: 'ToolCall',
    description: 'Inputs and outputs are truncated beyond 64 KB each, or 1 MB per reply.',
  },
)

export const MessageView = Type.Object(
  {
    id: ObjectId,
    chat_id: idOf('the chat'),
    parent_message_id: Nullable(idOf('the preceding message; null for the first message of a branch')),
    role: Enum(['user', 'assistant'], { description: 'Author of the message.' }),
    content: Type.String({ description: 'Text of the message.' }),
    reasoning: Nullable(Type.String({ description: 'Reasoning of the model; null if there is none.' })),
    status: Enum(['streaming', 'complete', 'stopped', 'error'], { description: 'Status of the message.' }),
    ...FailureFields,
    finish_reason: FinishReasonField,
    model_id: Nullable(
      idOf(
        'the model that replied, or that the message was sent to; null for a public agent of another organization',
      ),
    ),
    agent_id: Nullable(
      idOf('the agent that replied, or that the message was sent to; null if there is none'),
    ),
    file_uploads: Type.Array(UploadView, {
      description: "Files attached to a user message, or files in the results of a reply's tools.",
    }),
    citations: Type.Array(CitationView, {
      description: 'Passages given to the model for this reply. `[1]` is the first.',
    }),
    tool_calls: Type.Array(ToolCallView, {
      description: 'Tool calls of the reply, in the order in which they started.',
    }),
    media: Type.Array(MediaView, { description: 'Images and videos of the reply.' }),
    usage: Nullable(
      Type.Object(
        {
          input_tokens: InputTokens,
          output_tokens: OutputTokens,
          credits: Nullable(
            Type.Number({
              description: 'Credits charged for the reply; null if unknown, as in imported chats.',
            }),
          ),
        },
        { description: 'Usage of the reply; null for user messages.' },
      ),
    ),
    created_at: CreatedAt,
  },
  { title: 'ChatMessage' },
)
export type MessageView = Static<typeof MessageView>

export const ChatWithMessages = Type.Object(
  {
    ...ChatView.properties,
    messages: Type.Array(MessageView, {
      description:
        'Newest messages of the active branch, or of all branches, oldest first: at most 100 messages or 2 MB of text.',
    }),
    file_uploads: Type.Array(UploadView, { description: 'Files of the chat, oldest first.' }),
    pagination: Type.Object(
      {
        next_cursor: Nullable(
          Type.String({ description: 'Cursor of the next page; null on the last page.' }),
        ),
        has_more: Type.Boolean({ description: 'Whether more messages follow this page.' }),
      },
      { description: 'Where the messages continue.' },
    ),
  },
  { title: 'ChatWithMessages' },
)

export const ChatPage = PageOf(ChatView, 'ChatPage')

export const BulkDeleted = Type.Object(
  {
    message: Type.String({ description: 'Confirmation in a sentence.' }),
    deleted: Type.Integer({ description: 'Number of deleted chats.' }),
    not_found: Type.Array(Uuid, { description: "IDs that match none of the caller's chats." }),
  },
  { title: 'BulkDeleted' },
)

/** Scopes that may write to a chat, or to the chat of a conversation. */
export type ChatWriter = Scope<'chats:write'> | Scope<'conversation:write'>
export type ChatReader = ChatWriter | Scope<'chats:read'> | Scope<'conversation:read'>

export type ChatRow = typeof chats.$inferSelect
export type MessageRow = typeof chatMessages.$inferSelect

export const viewChat = (row: ChatRow): ChatView => ({
  id: row.id,
  organization_id: row.organizationId,
  user_id: row.userId,
  title: row.title,
  status: row.status,
  settings: row.settings,
  model_id: row.modelId,
  agent_id: row.agentId,
  pinned: row.pinned,
  folder: row.folder,
  active_message_id: row.leafMessageId,
  usage: {
    messages: row.messageCount,
    input_tokens: row.inputTokens,
    output_tokens: row.outputTokens,
    weighted_tokens: row.credits,
    credits: row.credits,
  },
  last_message_at: row.lastMessageAt?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})

/** Attachments and generated media of a message. */
interface Files {
  uploads: UploadView[]
  media: MediaView[]
}

export const viewMessage = (row: MessageRow, files: Files = { uploads: [], media: [] }): MessageView => ({
  id: row.id,
  chat_id: row.chatId,
  parent_message_id: row.parentMessageId,
  role: row.role,
  content: row.content,
  reasoning: row.reasoning,
  status: row.status,
  ...viewFailure(row),
  finish_reason: row.finishReason,
  model_id: row.modelId,
  agent_id: row.agentId,
  file_uploads: files.uploads,
  citations: row.citations ?? [],
  tool_calls: (row.toolCalls ?? []).map(viewToolCall),
  media: files.media,
  usage:
    row.inputTokens === null || row.outputTokens === null
      ? null
      : { input_tokens: row.inputTokens, output_tokens: row.outputTokens, credits: row.credits },
  created_at: row.createdAt.toISOString(),
})
