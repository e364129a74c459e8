import Type, { type Static } from 'typebox'
import type { agents } from '#database/schema/agents.ts'
import { ChangeOf } from '#platform/http/merge-fields.ts'
import {
  Body,
  CreatedAt,
  idOf,
  NOT_BLANK,
  Nullable,
  ObjectId,
  OrganizationId,
  PLAIN,
  PUBLIC_NAME,
  UpdatedAt,
  Uuid,
} from '#platform/http/schemas.ts'
import type { AgentToolView } from '../tools/index.ts'

const SYSTEM_PROMPT_CHARACTERS_MAX = 100_000
const TOKENS_MAX = 10_000_000
const TOOLS_MAX = 50
const CONFIG_VALUES_MAX = 100
const KNOWLEDGE_BASES_MAX = 20
const MCP_INSTANCES_MAX = 20

const Name = Type.String({ minLength: 1, maxLength: 200, ...PUBLIC_NAME, description: 'Name of the agent.' })
const Description = Type.String({ maxLength: 5_000, description: 'Description for people.' })
const AgentType = Type.String({
  minLength: 1,
  maxLength: 50,
  ...NOT_BLANK,
  description: 'Your own label, such as chat or function. All types behave alike.',
})
const ModelId = Type.String({
  ...Uuid,
  description:
    "ID of the organization's own model, or of one from the environment. It must generate text, and support tools if the agent has any.",
})

const Params = {
  system_prompt: Type.Optional(
    Type.String({
      maxLength: SYSTEM_PROMPT_CHARACTERS_MAX,
      description: 'System prompt of the agent.',
    }),
  ),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'Sampling temperature.' })),
  max_tokens: Type.Optional(
    Type.Integer({ minimum: 1, maximum: TOKENS_MAX, description: 'Maximum number of tokens per reply.' }),
  ),
}
const NewParams = Body(Params, { description: 'Generation parameters.' })

/** Maximum of PostgreSQL's integer. */
const REVISION_MAX = 2_147_483_647
const ToolUse = Body({
  tool_id: idOf('the tool'),
  config: Type.Optional(
    Type.Array(
      Body({
        name: Type.String({
          minLength: 1,
          maxLength: 200,
          ...PLAIN,
          description: 'Name of the configuration value.',
        }),
        value: Type.Unknown({ description: 'Value of the type that the tool declares.' }),
      }),
      { maxItems: CONFIG_VALUES_MAX, description: 'Configuration values of the tool.' },
    ),
  ),
  needs_confirmation: Type.Optional(
    Type.Boolean({
      default: false,
      description: "Send true to leave a change of the tool's author unconfirmed.",
    }),
  ),
  revision: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: REVISION_MAX,
      description:
        'The `revision` that you read with the agent. Changes that the author made since then stay unconfirmed. Default: the present one.',
    }),
  ),
})
const ToolUses = Type.Array(ToolUse, {
  maxItems: TOOLS_MAX,
  description:
    'Tools of the organization or public tools, each once, with their configuration. A secret value reads as null. Send null or omit it to keep it. Sending a tool confirms the changes that its author made.',
})
const KnowledgeBaseIds = Type.Array(Uuid, {
  maxItems: KNOWLEDGE_BASES_MAX,
  description: "IDs of the organization's knowledge bases to search for each message.",
})
const McpInstanceIds = Type.Array(Uuid, {
  maxItems: MCP_INSTANCES_MAX,
  description:
    "IDs of MCP connections whose tools the agent can call, for everyone who uses it: the caller's own active ones and those already shared with it.",
})
const IsPublic = Type.Boolean({
  description:
    'Whether members of all organizations can find and use the agent. They do not see its configuration.',
})

export const NewAgent = Body({
  name: Name,
  description: Description,
  agent_type: AgentType,
  model_id: ModelId,
  tools: Type.Optional(ToolUses),
  params: NewParams,
  is_public: Type.Optional(IsPublic),
  is_active: Type.Optional(Type.Boolean({ default: true, description: 'Whether the agent can be used.' })),
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
  params: Type.Optional(ChangeOf(NewParams)),
  is_public: Type.Optional(IsPublic),
  is_active: Type.Optional(Type.Boolean({ description: 'Whether the agent can be used.' })),
  knowledge_base_ids: Type.Optional(KnowledgeBaseIds),
  mcp_instance_ids: Type.Optional(McpInstanceIds),
})
export type AgentChange = Static<typeof AgentChange>

export const AgentView = Type.Object(
  {
    id: ObjectId,
    organization_id: OrganizationId,
    created_by: Nullable(
      idOf('the user who created the agent; null for a public agent of another organization'),
    ),
    name: Type.String({ description: 'Name of the agent.' }),
    description: Type.String({ description: 'Description for people.' }),
    agent_type: Type.String({ description: 'Label set by the organization.' }),
    model_id: Nullable(idOf('the model; null for a public agent of another organization')),
    tools: Type.Array(
      Type.Object({
        tool_id: idOf('the tool'),
        name: Type.String({ description: 'Name of the tool.' }),
        config: Type.Array(
          Type.Object({
            name: Type.String({ description: 'Name of the configuration value.' }),
            value: Type.Unknown({ description: 'The value; null for a secret, which is never returned.' }),
          }),
          { description: 'Configuration values of the tool.' },
        ),
        needs_confirmation: Type.Boolean({
          description:
            'Whether the tool does not run, because its author in another organization changed it after it was configured for the agent. Send `tools` again to confirm the change.',
        }),
        revision: Type.Integer({
          description: 'Number of changes that its author made to the code, network or configuration.',
        }),
      }),
      { description: 'Tools of the agent.' },
    ),
    params: Nullable(
      Type.Object(Params, {
        description: 'Generation parameters; null for a public agent of another organization.',
      }),
    ),
    is_public: Type.Boolean({
      description: 'Whether members of all organizations can find and use the agent.',
    }),
    is_active: Type.Boolean({ description: 'Whether the agent can be used.' }),
    knowledge_base_ids: Type.Array(Uuid, {
      description: 'IDs of the knowledge bases to search for each message.',
    }),
    mcp_instance_ids: Type.Array(Uuid, {
      description: 'IDs of the MCP connections whose tools the agent can call.',
    }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  {
    title: 'Agent',
    description:
      'A public agent of another organization has null in `model_id`, `params` and `created_by`, and empty lists of tools, knowledge bases and connections.',
  },
)
export type AgentView = Static<typeof AgentView>

export type AgentRow = typeof agents.$inferSelect

/** Converts an agent's rows to the view that its own organization receives. */
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

/** Converts a public agent to the view that other organizations receive. */
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
