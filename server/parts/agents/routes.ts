import Type from 'typebox'
import type { ErrorCode } from '#errors'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { CONNECTION, KB, MODEL, TOOL } from '#platform/http/example-values.ts'
import { confirms, idOf, OrgId, PageOf, PageQuery, searchedIn } from '#platform/http/schemas.ts'
import {
  type AgentDependencies,
  createAgent,
  deleteAgent,
  getAgent,
  listAgents,
  updateAgent,
} from './manage-agents.ts'
import { AgentChange, AgentView, NewAgent } from './schemas.ts'

const InOrganization = Type.Object({ org_id: OrgId })
const OneAgent = Type.Object({ agent_id: idOf('the agent') })
const ofAgent = { agent: 'agent_id' } as const

/** Errors that creating or updating an agent can return. */
const REFUSED: ErrorCode[] = [
  'agent.name_taken',
  'agent.tools_too_large',
  'llm.not_found',
  'llm.inactive',
  'llm.not_configured',
  'llm.no_member',
  'llm.cannot_chat',
  'llm.cannot_call_tools',
  'tool.not_found',
  'tool.config_invalid',
  'tool.function_twice',
  'kb.not_found',
  'mcp.instance_not_found',
]

export const agentRoutes = (deps: AgentDependencies): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/api/agents',
    summary: 'Create an agent',
    description:
      'An agent is a model with a system prompt, tools and knowledge. Names are unique in the organization, ' +
      "ignoring case. Omitted fields of `params` use the model's defaults. Adding knowledge bases also requires " +
      'kb:read, because everyone who talks to the agent can learn their contents.',
    access: { permission: 'agent:write', orgOf: 'query' },
    query: InOrganization,
    body: NewAgent,
    example: {
      name: 'Shop assistant',
      description: 'Answers questions of customers.',
      agent_type: 'chat',
      model_id: MODEL,
      params: {
        system_prompt: 'You answer questions about our coffee shop.',
        temperature: 0.3,
        max_tokens: 400,
      },
      tools: [{ tool_id: TOOL, config: [{ name: 'api_key', value: 'shop_5tR8' }] }],
      knowledge_base_ids: [KB],
      mcp_instance_ids: [CONNECTION],
    },
    effects: 'database',
    reply: [201, AgentView],
    errors: ['org.not_found', ...REFUSED],
    handler: ({ scope, body }) => createAgent(deps, scope, body),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/agents/list',
    summary: "List the organization's agents, newest first",
    description: 'A page can have fewer than `limit` agents if their system prompts are long.',
    access: { permission: 'agent:read', orgOf: 'query' },
    query: Type.Object({
      ...InOrganization.properties,
      ...searchedIn('the name or description'),
      ...PageQuery,
    }),
    reply: [200, PageOf(AgentView, 'AgentPage')],
    errors: ['org.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) => listAgents(deps, scope, query),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/agents/get',
    summary: 'Get an agent',
    description:
      "Returns the organization's own agents in full, and public agents of other organizations without their " +
      'configuration.',
    access: { permission: 'agent:read', orgOf: ofAgent },
    query: OneAgent,
    reply: [200, AgentView],
    errors: ['agent.not_found'],
    handler: ({ scope, query }) => getAgent(deps, scope, query.agent_id),
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/agents/update',
    summary: 'Change an agent',
    description:
      'Omitted fields stay unchanged. `params` is merged by key. `tools`, `knowledge_base_ids` and ' +
      '`mcp_instance_ids` replace the previous values. Replies in progress continue unchanged.',
    access: { permission: 'agent:write', orgOf: ofAgent },
    query: OneAgent,
    body: AgentChange,
    example: { is_active: true },
    effects: 'database',
    current: ({ scope, query }) => getAgent(deps, scope, query.agent_id),
    reply: [200, AgentView],
    errors: ['agent.not_found', 'agent.changing', ...REFUSED],
    handler: ({ scope, query, body }) => updateAgent(deps, scope, query.agent_id, body),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/agents/delete',
    summary: 'Delete an agent',
    description: 'Its chats stay and can continue with another agent or model.',
    access: { permission: 'agent:delete', orgOf: ofAgent },
    query: OneAgent,
    effects: 'database',
    reply: confirms('Agent deleted'),
    errors: ['agent.not_found', 'agent.in_use'],
    async handler({ scope, query }) {
      await deleteAgent(scope, query.agent_id)
    },
  }),
]
