import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { confirms, FailureEvents, OrgId } from '#platform/http/schemas.ts'
import { LIMIT_ERRORS } from '#platform/ledger/refusals.ts'
import type { Services } from '#platform/services.ts'
import { chat, type PlaygroundDependencies } from './chat.ts'
import { LocalMemory } from './local-memory.ts'
import type { Exchange, PlaygroundMemory } from './memory.ts'
import { MemoryView, PlaygroundEvent, PlaygroundMessage } from './schemas.ts'
import { SharedMemory } from './shared-memory.ts'

const access = { permission: 'mcp:write', orgOf: 'query or personal' } as const
const query = Type.Object({ org_id: Type.Optional(OrgId) })

export type { PlaygroundMemory } from './memory.ts'

/** Creates the playground's memory. With Redis, all processes share the memory. */
export const createMemory = ({ redis, secrets, log }: Services): PlaygroundMemory =>
  redis ? new SharedMemory(redis, secrets, log) : new LocalMemory()

/** Routes of streamed chats that use MCP tools. */
export function playgroundRoutes(deps: PlaygroundDependencies): Route[] {
  const { memory } = deps
  return [
    defineRoute({
      method: 'POST',
      url: '/api/mcp_playground/chat',
      summary: 'Chat with a model that uses your MCP connections or recommends servers',
      description: `${DIRECT} ${DISCOVERY} ${MODELS} ${MEMORY} ${PAYMENT}`,
      access,
      query: Type.Object({ ...query.properties, events: FailureEvents }),
      body: PlaygroundMessage,
      example: { content: 'Which events are in my calendar today?' },
      effects: 'outside once',
      reply: { events: PlaygroundEvent, description: 'The reply, streamed.' },
      errors: [
        'org.not_found',
        'mcp.model_prefix',
        'mcp.no_valid_instances',
        'llm.not_found',
        'llm.inactive',
        'llm.not_configured',
        'llm.no_member',
        'llm.none',
        'llm.cannot_chat',
        'llm.cannot_call_tools',
        'billing.insufficient_credits',
        ...LIMIT_ERRORS,
        'billing.key_budget_exceeded',
        'billing.member_budget_exceeded',
      ],
      handler: ({ scope, query, body }) => chat(deps, scope, body, query.events === 'all'),
    }),
    defineRoute({
      method: 'GET',
      url: '/api/mcp_playground/memory',
      summary: "Get the playground's memory, oldest first",
      description:
        "Returns the caller's newest 60 messages in this organization, at most 30 of them from direct mode.",
      access,
      query,
      reply: [200, MemoryView],
      errors: ['org.not_found', 'server.unavailable'],
      handler: async ({ scope }) => (await memory.read(scope)).flatMap(viewExchange),
    }),
    defineRoute({
      method: 'DELETE',
      url: '/api/mcp_playground/memory',
      summary: "Clear the playground's memory",
      access,
      query,
      effects: 'outside',
      reply: confirms('Playground memory cleared'),
      errors: ['org.not_found', 'server.unavailable'],
      async handler({ scope }) {
        await memory.clear(scope)
      },
    }),
  ]
}

const DIRECT =
  'With `mcp_instance_ids` (direct mode), the model can call the tools of these connections. Connections that are not ' +
  "active or not the caller's are ignored. If a server does not respond, the model replies without its tools and says " +
  'so. A tool call times out after 30 seconds.'
const DISCOVERY =
  'Without `mcp_instance_ids` (discovery mode), the model recommends servers of the catalogue, and the stream ends with ' +
  'their IDs. To continue, connect one and send the message again with its connection.'
const MODELS =
  "`model` is a display name or the provider's name, with or without its date suffix. If several match, the " +
  "organization's own models come first, then the newest date. By default, uses the configured model of the mode or, if " +
  "the organization cannot use it, the caller's default model."
const MEMORY =
  'Includes the previous messages, up to 60 (30 in direct mode), with the page tokens of tools. They are deleted after 30 ' +
  'minutes without a message. At most 20,000 characters per message are kept. Failed replies without text are not kept.'
const PAYMENT =
  'Charges the organization `org_id`, by default that of the API key or your personal one. Closing the connection stops ' +
  'the reply; usage so far is charged.'

const viewExchange = ({ question, askedAt, answer, answeredAt }: Exchange): MemoryView => [
  { role: 'user', content: question, created_at: askedAt },
  { role: 'assistant', content: answer, created_at: answeredAt },
]
