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

/** So many agents are tools, the oldest first, and so many stand on one page of the list. */
const AGENTS_MAX = 1_000
const PAGE_MAX = 100
const MESSAGE_CHARACTERS_MAX = 100_000
const DESCRIPTION_CHARACTERS_MAX = 1_000
/** A client that waits hears so often that the agent is still writing. */
const PROGRESS_MS = 5_000

const HOW_TO_ASK = 'Asks this agent, and answers with its reply. It remembers nothing of earlier calls.'

type Executor = Scope<'agent:execute'>

/** The organization's active agents as tools: each takes a message, and its answer is a text. */
export class AgentTools {
  readonly #agents: Agents
  readonly #calls: PaidCalls

  constructor(agents: Agents, calls: PaidCalls) {
    this.#agents = agents
    this.#calls = calls
  }

  /** A page; the cursor is the id of the last agent on the page before. */
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
   * One paid generation. Null: there is no such tool. Throws what refuses it before it begins (agent.inactive,
   * llm.not_configured, billing.insufficient_credits and the like).
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
    const prepare = await this.#agents.prepare(agent, payer, request)
    const { ended } = await this.#calls.begin(payer, agent.model, prepare, toldAs(onProgress), signal)
    const { error, content } = await ended
    if (error !== null) return failure(agent.isForeign ? FOREIGN_FAILED : error)
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
        description: 'What the agent is asked, with all that it has to know for it',
      },
    },
    required: ['message'],
    additionalProperties: false,
  },
  annotations: { title: agent.name, readOnlyHint: false, openWorldHint: true },
})

/** What the agent does, as steps: each tool that it calls, and from time to time that it writes. */
function toldAs(onProgress: ServedCall['onProgress']) {
  let steps = 0
  let toldAt = Date.now()
  const tell = (message: string): void => {
    steps += 1
    toldAt = Date.now()
    onProgress({ progress: steps, message })
  }
  const alive = (): void => {
    if (Date.now() - toldAt > PROGRESS_MS) tell('Writing')
  }
  return {
    text: alive,
    reasoning: alive,
    toolStarted: ({ name }: { name: string }) => tell(`Calling ${name}`),
  }
}
