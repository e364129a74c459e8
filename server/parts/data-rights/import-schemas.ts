import Type, { type Static, type TObject, type TProperties } from 'typebox'
import { TEXT_KINDS } from '#database/schema/kb.ts'
import { WEBHOOK_EVENT_TYPES } from '#platform/events/outbox.ts'
import {
  CreatedAt,
  described,
  Enum,
  Nullable,
  ObjectId,
  Timestamp,
  UpdatedAt,
  Uuid,
} from '#platform/http/schemas.ts'
import { FINISH_REASONS } from '#platform/models/types.ts'
import { NewDeployment } from '../agent-deploy/index.ts'
import { NewAgent } from '../agents/index.ts'
import { ChatChange } from '../chat/index.ts'
import { NewInstruction } from '../instructions/index.ts'
import { NewEvaluation, NewKnowledgeBase } from '../kb/index.ts'
import { NewModel } from '../llm/index.ts'
import { OrganizationName, OrganizationView } from '../org/index.ts'
import { NewRole } from '../roles/index.ts'
import { NewCategory, NewTool } from '../tools/index.ts'
import { NewWebhook } from '../webhooks/index.ts'

/*
 * Schemas of the imported fields. A field that the API also accepts has the API's limits. Unknown fields are ignored,
 * because a version of the format may gain columns (docs/export.md).
 */

const INTEGER_MAX = 2_147_483_647
const KEPT_TEXT_MAX = 2_000_000
const MESSAGE_CHARACTERS_MAX = 4_000_000
const SENTENCE_MAX = 10_000
const IDS_MAX = 1_000
const PERMISSIONS_MAX = 200
const MODELS_MAX = 10_000

const Sentence = Nullable(Type.String({ maxLength: SENTENCE_MAX }))
const Word = Type.String({ maxLength: 200 })
const Count = Type.Integer({ minimum: 0, maximum: INTEGER_MAX })
const Bytes = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Anything = Type.Object({}, { additionalProperties: true })
const Ids = Type.Array(Uuid, { maxItems: IDS_MAX })
const times = { created_at: CreatedAt, updated_at: UpdatedAt }
const Row = <P extends TProperties>(properties: P) => Type.Object({ id: ObjectId, ...times, ...properties })

export const ExportManifest = Type.Object({
  format: Type.Literal('parley-export'),
  version: Type.Integer(),
  user: Type.Optional(Anything),
  organization: Type.Optional(Type.Object({ id: ObjectId, name: OrganizationName })),
  counts: Type.Record(Type.String(), Count),
  environment_models: Type.Optional(
    Type.Array(Type.Object({ id: ObjectId, provider: Word, version: Word }), { maxItems: MODELS_MAX }),
  ),
})
export type ExportManifest = Static<typeof ExportManifest>

export const MemberLine = Type.Object({ user_id: Uuid, email: Type.String({ maxLength: 320 }) })

const agent = NewAgent.properties
const tool = NewTool.properties
const kb = NewKnowledgeBase.properties
const deployment = NewDeployment.properties
const chat = ChatChange.properties

const Citation = Type.Object({
  kb_id: Type.Optional(Uuid),
  document_id: Uuid,
  document_name: Type.String({ maxLength: 1_000 }),
  chunk_id: Uuid,
  score: Type.Number(),
  snippet: Type.String({ maxLength: SENTENCE_MAX }),
})
const Media = Type.Object({ type: Enum(['image', 'video']), upload_id: Uuid, mime_type: Word })
const Failure = Type.Object({
  code: Word,
  values: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String({ maxLength: SENTENCE_MAX }), Type.Number()])),
  ),
})
const ToolCall = Type.Object({
  id: Word,
  name: Word,
  input: Anything,
  output: Nullable(Anything),
  successful: Nullable(Type.Boolean()),
  error: Nullable(Type.String()),
  started_event: Count,
  ended_event: Nullable(Count),
})

export const LINES = {
  roles: Row({
    name: NewRole.properties.name,
    description: Type.String({ maxLength: 500 }),
    hierarchy_level: NewRole.properties.hierarchy_level,
    is_system_role: Type.Boolean(),
    permissions: Type.Array(Word, { maxItems: PERMISSIONS_MAX }),
  }),
  models: Row({
    name: NewModel.properties.name,
    provider: NewModel.properties.provider,
    version: NewModel.properties.version,
    is_active: Type.Boolean(),
    config: NewModel.properties.config,
  }),
  tool_categories: Row(NewCategory.properties),
  tools: Row(tool),
  knowledge_bases: Row({
    name: kb.name,
    description: kb.description,
    embedding_model: kb.embedding_model,
    chunking: kb.chunking,
  }),
  kb_sources: Row({
    kb_id: Uuid,
    type: Enum(['web', 's3', 'file', 'text']),
    config: Anything,
    status: Enum(['pending', 'reading', 'read', 'failed']),
    error: Sentence,
  }),
  kb_documents: Row({
    kb_id: Uuid,
    source_id: Uuid,
    key: Type.String({ maxLength: 4_000 }),
    name: Type.String({ maxLength: 1_000 }),
    mime_type: Word,
    size: Bytes,
    metadata: Anything,
    error: Sentence,
    text_kind: Nullable(Enum(TEXT_KINDS)),
    text: Nullable(Type.String({ maxLength: KEPT_TEXT_MAX })),
  }),
  kb_evaluations: Row({ kb_id: Uuid, ...NewEvaluation.properties }),
  agents: Row({
    name: agent.name,
    description: agent.description,
    agent_type: agent.agent_type,
    model_id: agent.model_id,
    params: agent.params,
    is_active: Type.Boolean(),
    tool_ids: Ids,
    knowledge_base_ids: Ids,
  }),
  deployments: Row({
    agent_id: Uuid,
    name: deployment.name,
    description: deployment.description,
    deployment_type: deployment.deployment_type,
    config: deployment.config,
  }),
  webhooks: Row({
    url: NewWebhook.properties.url,
    description: Type.String({ maxLength: 500 }),
    event_types: Type.Array(Enum(WEBHOOK_EVENT_TYPES), { maxItems: WEBHOOK_EVENT_TYPES.length }),
  }),
  instructions: Row({ user_id: Uuid, ...NewInstruction.properties }),
  chats: Row({
    user_id: Uuid,
    title: Type.String({ maxLength: 500 }),
    status: Enum(['ACTIVE', 'ARCHIVED', 'DELETED']),
    settings: chat.settings,
    is_conversation: Type.Boolean(),
    pinned: Type.Boolean(),
    folder: chat.folder,
    model_id: Nullable(Uuid),
    agent_id: Nullable(Uuid),
    deployment_id: Nullable(Uuid),
    leaf_message_id: Nullable(Uuid),
    last_message_at: Nullable(Timestamp),
  }),
  conversations: Row({
    user_id: Uuid,
    title: Type.String({ maxLength: 500 }),
    is_archived: Type.Boolean(),
  }),
  conversation_sessions: Row({
    user_id: Uuid,
    conversation_id: Uuid,
    model_id: Uuid,
    status: Enum(['active', 'completed']),
  }),
  files: Type.Object({
    id: ObjectId,
    user_id: Uuid,
    chat_id: Nullable(Uuid),
    source: Enum(['user', 'model']),
    filename: Type.String({ maxLength: 1_000 }),
    size: Bytes,
  }),
  messages: Type.Object({
    id: ObjectId,
    user_id: Uuid,
    chat_id: Uuid,
    parent_message_id: Nullable(Uuid),
    role: Enum(['user', 'assistant']),
    content: Type.String({ maxLength: MESSAGE_CHARACTERS_MAX }),
    reasoning: Nullable(Type.String({ maxLength: MESSAGE_CHARACTERS_MAX })),
    status: Enum(['streaming', 'complete', 'stopped', 'error']),
    error: Sentence,
    failure: Type.Optional(Nullable(Failure)),
    finish_reason: Type.Optional(Nullable(Enum(FINISH_REASONS))),
    model_id: Nullable(Uuid),
    agent_id: Nullable(Uuid),
    input_tokens: Nullable(Count),
    output_tokens: Nullable(Count),
    upload_ids: Nullable(Ids),
    citations: Nullable(Type.Array(Citation, { maxItems: IDS_MAX })),
    media: Nullable(Type.Array(Media, { maxItems: IDS_MAX })),
    tool_calls: Nullable(Type.Array(ToolCall, { maxItems: IDS_MAX })),
    created_at: CreatedAt,
  }),
} as const satisfies Record<string, TObject>

export type ImportedConcept = keyof typeof LINES
export type LineOf<C extends ImportedConcept> = Static<(typeof LINES)[C]>

export const ImportView = Type.Object(
  {
    organization: described(OrganizationView, 'The new organization.'),
    imported: Type.Record(Type.String(), Type.Integer(), {
      description: 'Number of imported records by kind.',
    }),
    left_out: Type.Array(
      Type.Object({
        what: Type.String({ description: 'Kind of record.' }),
        count: Type.Integer({ description: 'Number of records.' }),
        reason: Type.String({ description: 'Reason, in a sentence.' }),
      }),
      {
        description: 'Records not imported, or imported with changes.',
      },
    ),
  },
  { title: 'ImportedOrganization' },
)
export type ImportView = Static<typeof ImportView>
