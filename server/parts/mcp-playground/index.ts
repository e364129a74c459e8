import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { Message, OrgId } from '#platform/http/schemas.ts'
import type { Services } from '#platform/services.ts'
import { chat, type PlaygroundDependencies } from './chat.ts'
import { LocalMemory } from './local-memory.ts'
import type { Exchange, PlaygroundMemory } from './memory.ts'
import { MemoryView, PlaygroundEvent, PlaygroundMessage } from './schemas.ts'
import { SharedMemory } from './shared-memory.ts'

const access = { permission: 'mcp:write', orgOf: 'query or personal' } as const
const query = Type.Object({ org_id: Type.Optional(OrgId) })

export type { PlaygroundMemory } from './memory.ts'

/** What the playground remembers: in Redis every process has it. */
export const createMemory = ({ redis, secrets, log }: Services): PlaygroundMemory =>
  redis ? new SharedMemory(redis, secrets, log) : new LocalMemory()

/** Chats that use MCP tools, streamed (spec, MCP playground). */
export function playgroundRoutes(deps: PlaygroundDependencies): Route[] {
  const { memory } = deps
  return [
    defineRoute({
      method: 'POST',
      url: '/api/mcp_playground/chat',
      summary: 'Ask a model that uses your MCP connections, or that finds you servers to connect',
      description: `${DIRECT} ${DISCOVERY} ${MODELS} ${MEMORY} ${PAYMENT}`,
      access,
      query,
      body: PlaygroundMessage,
      example: { content: 'Which of my mails are about invoices?' },
      effects: 'outside once',
      reply: { events: PlaygroundEvent, description: 'The reply, as it is written' },
      errors: [
        'org.not_found',
        'mcp.model_prefix',
        'mcp.no_valid_instances',
        'llm.not_found',
        'llm.inactive',
        'llm.not_configured',
        'llm.none',
        'llm.cannot_chat',
        'llm.cannot_call_tools',
        'billing.insufficient_credits',
        'billing.budget_exceeded',
      ],
      handler: ({ scope, body }) => chat(deps, scope, body),
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
      reply: [200, Message],
      errors: ['org.not_found', 'server.unavailable'],
      async handler({ scope }) {
        await memory.clear(scope)
        return { message: 'Playground memory cleared' }
      },
    }),
  ]
}

const DIRECT =
  'With mcp_instance_ids (direct mode) the model has the tools of those connections that are your own and active; the ' +
  'others are left out. All servers are connected at once; those that do not answer are left out too, and the model ' +
  'says so. A tool may take 30 seconds.'
const DISCOVERY =
  'Without (discovery mode) it recommends servers of the catalogue: their ids come after its words. Connect one, and ' +
  'send the message again with the connection.'
const MODELS =
  'model: what you call a model, or its own name, whole or without the date at its end; of several an own one first, ' +
  'then the newest date. Where it is absent: the default of the mode, where the organization can use that, else its ' +
  'first model that will do, else one of the environment.'
const MEMORY =
  'What was said goes with the next message, until nothing was said for 30 minutes: up to 60 messages, 30 in direct ' +
  'mode. Page tokens of tools (nextPageToken) go with it, so that a model can go on where the person asks for more. ' +
  'Of a message or reply the first 20,000 characters are remembered. A reply that came to nothing is not.'
const PAYMENT =
  'org_id: who pays, else the organization of the API key or your personal one. Closing the connection ends the reply; ' +
  'what was used by then is paid.'

const viewExchange = ({ question, askedAt, answer, answeredAt }: Exchange): MemoryView => [
  { role: 'user', content: question, created_at: askedAt },
  { role: 'assistant', content: answer, created_at: answeredAt },
]
