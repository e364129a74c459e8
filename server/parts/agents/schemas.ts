import Type, { type Static } from 'typebox'
import type { agents } from '#database/schema/agents.ts'
import { Body, NOT_BLANK, Nullable, Timestamp, Uuid } from '#platform/http/schemas.ts'
import type { AgentToolView } from '../tools/index.ts'

const SYSTEM_PROMPT_CHARACTERS_MAX = 100_000
const TOKENS_MAX = 10_000_000
const TOOLS_MAX = 50
const CONFIG_VALUES_MAX = 100
const KNOWLEDGE_BASES_MAX = 20
const MCP_INSTANCES_MAX = 20

const Name = Type.String({ minLength: 1, maxLength: 200, ...NOT_BLANK })
const Description = Type.String({ maxLength: 5_000 })
const AgentType = Type.String({
  minLength: 1,
  maxLength: 50,
  ...NOT_BLANK,
  description: 'A word of your own, such as chat or function; all kinds of agents answer alike',
})
const ModelId = Type.String({
  ...Uuid,
  description:
    "The organization's own model or one of the environment. It writes text, and can call tools where the agent has any.",
})

const Params = {
  system_prompt: Type.Optional(
    Type.String({
      maxLength: SYSTEM_PROMPT_CHARACTERS_MAX,
      description: 'What the agent is told about itself',
    }),
  ),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  max_tokens: Type.Optional(
    Type.Integer({ minimum: 1, maximum: TOKENS_MAX, description: 'The longest reply' }),
  ),
}
const NewParams = Body(Params)

const ToolUse = Body({
  tool_id: Uuid,
  config: Type.Optional(
    Type.Array(
      Body({
        name: Type.String({ minLength: 1, maxLength: 200 }),
        value: Type.Unknown({ description: 'Of the type that the tool declares' }),
      }),
      { maxItems: CONFIG_VALUES_MAX },
    ),
  ),
})
const ToolUses = Type.Array(ToolUse, {
  maxItems: TOOLS_MAX,
  description:
    "The organization's own tools or public ones, each once, with the values that they are configured with. A secret value is shown as null; it stays as it is where it is sent back as null, or left out.",
})
const KnowledgeBaseIds = Type.Array(Uuid, {
  maxItems: KNOWLEDGE_BASES_MAX,
  description: "Knowledge bases of the agent's organization that are searched for each message",
})
const McpInstanceIds = Type.Array(Uuid, {
  maxItems: MCP_INSTANCES_MAX,
  description:
    'Connections to MCP servers whose tools the agent has, for whoever talks to it: your own that are active, and those that others have shared with it already',
})
const IsPublic = Type.Boolean({
  description:
    'Members of all organizations may find it and talk to it, and see nothing of what it is made of',
})

export const NewAgent = Body({
  name: Name,
  description: Description,
  agent_type: AgentType,
  model_id: ModelId,
  tools: Type.Optional(ToolUses),
  params: NewParams,
  is_public: Type.Optional(IsPublic),
  is_active: Type.Optional(Type.Boolean({ default: true })),
  knowledge_base_ids: Type.Optional(KnowledgeBaseIds),
  mcp_instance_ids: Type.Optional(McpInstanceIds),
})
export type NewAgent = Static<typeof NewAgent>

export const AgentChange = Body({
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  agent_type: Type.Optional(AgentType),
  model_id: Type.Optional(ModelId),
  tools: Type.Optional(ToolUses),
  params: Type.Optional(NewParams),
  is_public: Type.Optional(IsPublic),
  is_active: Type.Optional(Type.Boolean({ description: 'Nobody can talk to an agent that is not active' })),
  knowledge_base_ids: Type.Optional(KnowledgeBaseIds),
  mcp_instance_ids: Type.Optional(McpInstanceIds),
})
export type AgentChange = Static<typeof AgentChange>

export const AgentView = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    created_by: Nullable(Uuid),
    name: Type.String(),
    description: Type.String(),
    agent_type: Type.String(),
    model_id: Nullable(Uuid),
    tools: Type.Array(
      Type.Object({
        tool_id: Uuid,
        name: Type.String(),
        config: Type.Array(
          Type.Object({
            name: Type.String(),
            value: Type.Unknown({ description: 'null for a secret, which is never shown again' }),
          }),
        ),
      }),
    ),
    params: Nullable(Type.Object(Params)),
    is_public: Type.Boolean(),
    is_active: Type.Boolean(),
    knowledge_base_ids: Type.Array(Uuid),
    mcp_instance_ids: Type.Array(Uuid),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  {
    title: 'Agent',
    description:
      "Of a public agent of another organization model_id, params and created_by are null, and tools, knowledge_base_ids and mcp_instance_ids are empty: what it is made of is its organization's.",
  },
)
export type AgentView = Static<typeof AgentView>

export type AgentRow = typeof agents.$inferSelect

/** An agent as its own organization sees it. */
export const viewAgent = (
  row: AgentRow,
  tools: AgentToolView[],
  knowledgeBaseIds: string[],
  mcpInstanceIds: string[],
): AgentView => ({
  ...viewDescriptor(row),
  created_by: row.createdBy,
  model_id: row.modelId,
  tools,
  params: row.params,
  knowledge_base_ids: knowledgeBaseIds,
  mcp_instance_ids: mcpInstanceIds,
})

/** What every organization may see of a public agent. */
export const viewDescriptor = (row: Omit<AgentRow, 'createdBy' | 'modelId' | 'params'>): AgentView => ({
  id: row.id,
  organization_id: row.organizationId,
  created_by: null,
  name: row.name,
  description: row.description,
  agent_type: row.agentType,
  model_id: null,
  tools: [],
  params: null,
  is_public: row.isPublic,
  is_active: row.isActive,
  knowledge_base_ids: [],
  mcp_instance_ids: [],
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
})
