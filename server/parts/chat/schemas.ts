import Type, { type Static } from 'typebox'
import type { chatMessages, chats, StoredToolCall } from '#database/schema/chat.ts'
import type { Scope } from '#platform/access/scope.ts'
import { Body, Enum, NOT_BLANK, Nullable, PageOf, Timestamp, Uuid } from '#platform/http/schemas.ts'
import { UploadView } from '#platform/storage/view-upload.ts'

export const CHAT_STATUSES = ['ACTIVE', 'ARCHIVED', 'DELETED'] as const
const CONTENT_CHARACTERS_MAX = 1_000_000
const TOKENS_MAX = 10_000_000

const Title = Type.String({ minLength: 1, maxLength: 500 })
const Unit = Type.Number({ minimum: 0, maximum: 1 })

const Settings = Body(
  {
    temperature: Type.Optional(Unit),
    max_tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: TOKENS_MAX })),
    top_p: Type.Optional(Unit),
  },
  { title: 'ChatSettings' },
)

export const ChatInput = Body({
  title: Type.Optional(Title),
  status: Type.Optional(Enum(CHAT_STATUSES)),
  settings: Type.Optional(Settings),
})
export type ChatInput = Static<typeof ChatInput>

export const ChatChange = Body({
  ...ChatInput.properties,
  pinned: Type.Optional(Type.Boolean()),
  folder: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: 100, description: 'null: in no folder' })),
  ),
  active_message_id: Type.Optional(
    Nullable(
      Type.Unsafe<string>({ ...Uuid, description: 'The reply at which the active branch ends; null: none' }),
    ),
  ),
})
export type ChatChange = Static<typeof ChatChange>

/** Who answers, and how: of send_message and of regenerate. */
const answering = {
  org_id: Uuid,
  model_id: Type.Optional(Uuid),
  agent_id: Type.Optional(Uuid),
  instruction_id: Type.Optional(Uuid),
  temperature: Type.Optional(Unit),
  max_tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: TOKENS_MAX })),
  top_p: Type.Optional(Unit),
  events: Type.Optional(
    Enum(['all'], { description: 'Also send events with a name: meta, citations, tool, usage' }),
  ),
}
export const SendQuery = Type.Object({ ...answering, chat_id: Type.Optional(Uuid) })
export type SendQuery = Static<typeof SendQuery>

export const RegenerateQuery = Type.Object({ ...answering, chat_id: Uuid, message_id: Uuid })
export type RegenerateQuery = Static<typeof RegenerateQuery>

const FILES_MAX = 100
const KNOWLEDGE_BASES_MAX = 10

/** How a message is to be answered: of send_message and of regenerate. */
const answer = {
  thinking: Type.Optional(Type.Boolean({ description: 'Reasoning, from models that can' })),
  knowledge_base_ids: Type.Optional(
    Type.Array(Uuid, { maxItems: KNOWLEDGE_BASES_MAX, description: 'Where the reply looks for passages' }),
  ),
}

export const MessageContent = Type.String({ minLength: 1, maxLength: CONTENT_CHARACTERS_MAX })

export const NewMessage = Body({
  content: MessageContent,
  ...answer,
  file_uploads: Type.Optional(
    Type.Array(Uuid, { maxItems: FILES_MAX, description: 'Ids of uploads that come with the message' }),
  ),
  parent_message_id: Type.Optional(
    Nullable(
      Type.Unsafe<string>({
        ...Uuid,
        description: 'The reply that this follows, beside what followed it before; null: the beginning',
      }),
    ),
  ),
})
export type NewMessage = Static<typeof NewMessage>

export const AnotherAnswer = Body(answer)
export type AnotherAnswer = Static<typeof AnotherAnswer>

export const PROMPT_TYPES = ['creative', 'task', 'question', 'continuation'] as const

export const PromptRequest = Body({
  text: Type.String({ minLength: 1, maxLength: 20_000, ...NOT_BLANK }),
  num_prompts: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 1 })),
  prompt_type: Type.Optional(Enum(PROMPT_TYPES, { description: 'task where absent' })),
  model: Type.Optional(Enum(['chat', 'reason'], { description: 'chat where absent' })),
})
export type PromptRequest = Static<typeof PromptRequest>

export const PromptEvent = Type.Unsafe<object>({
  title: 'PromptEvent',
  description: 'What stands behind `data:`; the last one is {"content":"DONE"} or {"error": …}.',
  anyOf: [Type.Object({ content: Type.String() }), Type.Object({ error: Type.String() })],
})

export const ReplyEvent = Type.Unsafe<object>({
  title: 'ReplyEvent',
  description: 'What stands behind `data:`; the last one is {"message":"DONE"} or {"error": …}.',
  anyOf: [
    Type.Object({ message: Type.String() }),
    Type.Object({ type: Type.Literal('reasoning'), message: Type.String() }),
    Type.Object({
      media: Type.Object({
        type: Enum(['image', 'video']),
        status: Enum(['generating', 'complete']),
        progress: Type.Number({ description: '0 to 1' }),
        url: Type.Optional(Type.String()),
        mime_type: Type.Optional(Type.String()),
      }),
    }),
    Type.Object({ error: Type.String() }),
  ],
})

export const ChatView = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    user_id: Uuid,
    title: Type.String(),
    status: Enum(CHAT_STATUSES),
    settings: Settings,
    model_id: Nullable(Uuid),
    agent_id: Nullable(Uuid),
    pinned: Type.Boolean(),
    folder: Nullable(Type.String()),
    active_message_id: Nullable(Uuid),
    usage: Type.Object({
      messages: Type.Integer({ description: 'Messages that the user has sent' }),
      input_tokens: Type.Integer(),
      output_tokens: Type.Integer(),
      weighted_tokens: Type.Number(),
      credits: Type.Number(),
    }),
    last_message_at: Nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
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
    text: Type.String({ description: 'Empty where nobody speaks' }),
    language: Type.String({ description: 'What was spoken' }),
    duration: Type.Number({ description: 'Seconds' }),
  },
  { title: 'Transcript' },
)
export type TranscriptView = Static<typeof TranscriptView>

export const KnowledgeBasePage = PageOf(
  Type.Object(
    { id: Uuid, name: Type.String(), description: Type.String() },
    { title: 'UsableKnowledgeBase' },
  ),
  'UsableKnowledgeBasePage',
)

export const CitationView = Type.Object(
  {
    kb_id: Type.Optional(Type.String({ format: 'uuid', description: 'The knowledge base of the document' })),
    document_id: Uuid,
    document_name: Type.String(),
    chunk_id: Uuid,
    score: Type.Number({ description: '0 to 1' }),
    snippet: Type.String(),
  },
  { title: 'Citation' },
)

const MediaView = Type.Object(
  { type: Enum(['image', 'video']), url: Type.String(), mime_type: Type.String() },
  { title: 'Media' },
)
export type MediaView = Static<typeof MediaView>

const ToolCallView = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    input: Type.Object({}, { additionalProperties: true }),
    output: Nullable(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'What the tool answered, as result where it is no object; null: it has not ended yet',
        },
      ),
    ),
    successful: Nullable(Type.Boolean()),
    error: Nullable(Type.String()),
  },
  {
    title: 'ToolCall',
    description:
      'Of an input or output beyond 64 KB, or 1 MB in a reply, only the beginning is kept, with a remark',
  },
)

export const MessageView = Type.Object(
  {
    id: Uuid,
    chat_id: Uuid,
    parent_message_id: Nullable(Uuid),
    role: Enum(['user', 'assistant']),
    content: Type.String(),
    reasoning: Nullable(Type.String()),
    status: Enum(['streaming', 'complete', 'stopped', 'error']),
    error: Nullable(Type.String()),
    model_id: Nullable(Uuid),
    agent_id: Nullable(Uuid),
    file_uploads: Type.Array(UploadView, { description: 'What came with a message of the user' }),
    citations: Type.Array(CitationView, {
      description: 'The passages that a reply was given; [1] is the first',
    }),
    tool_calls: Type.Array(ToolCallView, {
      description: 'What a reply has called, in the order of their beginning',
    }),
    media: Type.Array(MediaView, { description: 'The images and videos of a reply' }),
    usage: Nullable(
      Type.Object({
        input_tokens: Type.Integer(),
        output_tokens: Type.Integer(),
        credits: Nullable(
          Type.Number({ description: 'What was paid; null: not known, as where the chat was imported' }),
        ),
      }),
    ),
    created_at: Timestamp,
  },
  { title: 'ChatMessage' },
)
export type MessageView = Static<typeof MessageView>

export const ChatWithMessages = Type.Object(
  {
    ...ChatView.properties,
    messages: Type.Array(MessageView, {
      description:
        'The newest of the active branch, or of all branches, oldest first: 100, or fewer once they hold 2 MB of text',
    }),
    file_uploads: Type.Array(UploadView, { description: 'The files of the chat, oldest first' }),
    pagination: Type.Object({ next_cursor: Nullable(Type.String()), has_more: Type.Boolean() }),
  },
  { title: 'ChatWithMessages' },
)

export const ChatPage = PageOf(ChatView, 'ChatPage')

export const BulkDeleted = Type.Object(
  { message: Type.String(), deleted: Type.Integer(), not_found: Type.Array(Uuid) },
  { title: 'BulkDeleted' },
)

/** Who may write in a chat: through /api/chat, or in a conversation, whose messages are a chat's. */
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

const viewToolCall = ({ id, name, input, output, successful, error }: StoredToolCall) => ({
  id,
  name,
  input,
  output,
  successful,
  error,
})

/** The files of a message, with their addresses. */
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
  error: row.error,
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
