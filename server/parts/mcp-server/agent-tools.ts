import { UUID } from '#database/new-id.ts'
import type { Scope } from '#platform/access/scope.ts'
import {
  type CallToolResult,
  InvalidParams,
  type ServedCall,
  type ServedTool,
  type ToolPage,
} from '#platform/mcp/server-definition.ts'
import { type Agents, FOREIGN_FAILED, type ListedAgent, payerOf } from '../agents/index.ts'
import type { PaidCalls } from '../llm/index.ts'
import { KNOWLEDGE_TOOL_NAMES } from './knowledge-tools.ts'
import { nameAgentsAsTools } from './name-agents-as-tools.ts'
import { failure, textOf, textResult } from './results.ts'

/**
 * Maximum number of agents offered as tools, oldest first, and maximum number of agents per page.
 * @limit agents offered as tools (oldest first)
 */
const AGENTS_MAX = 1_000
const PAGE_MAX = 100
/** @limit message to an agent */
const MESSAGE_CHARACTERS_MAX = 100_000
const DESCRIPTION_CHARACTERS_MAX = 1_000
/** Minimum interval between progress notifications while the agent writes, in milliseconds. */
const PROGRESS_MS = 5_000

const HOW_TO_ASK = 'Asks this agent and returns its reply. The agent does not remember earlier calls.'

type Executor = Scope<'agent:execute'>

/** Offers the organization's active agents as tools. Each tool takes a message and returns the agent's reply. */
export class AgentTools {
  readonly #agents: Agents
  readonly #calls: PaidCalls

  constructor(agents: Agents, calls: PaidCalls) {
    this.#agents = agents
    this.#calls = calls
  }

  /** Returns one page of tools. The cursor is the id of the last agent on the previous page. */
  async list(scope: Executor, cursor: string | undefined): Promise<ToolPage> {
    if (cursor !== undefined && !UUID.test(cursor)) throw new InvalidParams('Unknown cursor')
    const named = [...(await this.#named(scope))]
    const below = named.filter(([, { id }]) => cursor === undefined || id > cursor)
    const page = below.slice(0, PAGE_MAX)
    const last = below.length > PAGE_MAX ? page.at(-1)?.[1].id : undefined
    return {
      tools: page.map(([name, agent]) => describe(name, agent)),
      ...(last !== undefined && { nextCursor: last }),
    }
  }

  /**
   * Has an agent reply, and charges the reply. Returns null if there is no such tool. Throws agent.inactive,
   * llm.not_configured, billing.insufficient_credits, and other errors of starting a reply.
   */
  async call(
    scope: Executor,
    name: string,
    input: Record<string, unknown>,
    { signal, onProgress }: ServedCall,
  ): Promise<CallToolResult | null> {
    const listed = (await this.#named(scope)).get(name)
    if (!listed) return null
    const message = textOf(input, 'message', MESSAGE_CHARACTERS_MAX)
    if (typeof message !== 'string') return failure(message.problem)
    const agent = await this.#agents.find(scope.organizationId, listed.id)
    const payer = payerOf(scope, agent, null)
    const request = { messages: [{ role: 'user' as const, content: message }] }
    const prepared = await this.#agents.prepare(agent, payer, request)
    const { ended } = await this.#calls.begin(payer, agent.model, prepared, progressSink(onProgress), signal)
    const { failure: failed, content } = await ended
    if (failed) return failure(agent.isForeign ? FOREIGN_FAILED.message : failed.message)
    return textResult(content)
  }

  async #named(scope: Executor): Promise<Map<string, ListedAgent>> {
    return nameAgentsAsTools(await this.#agents.listActive(scope, AGENTS_MAX), KNOWLEDGE_TOOL_NAMES)
  }
}

const describe = (name: string, agent: ListedAgent): ServedTool => ({
  name,
  title: agent.name,
  description: `${agent.description.slice(0, DESCRIPTION_CHARACTERS_MAX)}\n\n${HOW_TO_ASK}`.trim(),
  inputSchema: {
    type: 'object',
    properties: {
      message: {
        type: 'string',
        minLength: 1,
        maxLength: MESSAGE_CHARACTERS_MAX,
        description: 'Message for the agent. Include all context that the agent needs.',
      },
    },
    required: ['message'],
    additionalProperties: false,
  },
  annotations: { title: agent.name, readOnlyHint: false, openWorldHint: true },
})

/** Returns a sink that reports progress: once per tool call, and periodically while the agent writes. */
function progressSink(onProgress: ServedCall['onProgress']) {
  let steps = 0
  let reportedAt = Date.now()
  const report = (message: string): void => {
    steps += 1
    reportedAt = Date.now()
    onProgress({ progress: steps, message })
  }
  const alive = (): void => {
    if (Date.now() - reportedAt > PROGRESS_MS) report('Writing')
  }
  return {
    text: alive,
    reasoning: alive,
    toolStarted: ({ name }: { name: string }) => report(`Calling ${name}`),
  }
}
