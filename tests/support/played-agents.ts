import { randomUUID } from 'node:crypto'
import type { Overrides } from '#app'
import { fail } from '#errors'
import type { ReadyAgent } from '#parts/agents/index.ts'
import type { CallableModel } from '#parts/llm/index.ts'
import type { RunnableTool, ToolOutcome } from '#platform/models/tool-loop.ts'

type Door = NonNullable<Overrides['agents']>
type Passages = Awaited<ReturnType<Door['retrieve']>>

/** Emulates agents whose tools are functions of the test. The test thus controls when each tool starts and ends. */
export class PlayedAgents implements Door {
  readonly #agents = new Map<string, ReadyAgent>()
  /** The passages that each agent retrieves, by agent id. Set by the test. */
  readonly passages = new Map<string, Passages>()
  readonly asked: { agentId: string; query: string; payer: object }[] = []
  readonly providerUrl: () => string

  constructor(providerUrl: () => string) {
    this.providerUrl = providerUrl
  }

  /** Adds an agent that uses the emulated provider's model `version`. Returns the agent's id. */
  add(version: string, tools: RunnableTool[] = [], more: Partial<ReadyAgent> = {}): string {
    const id = more.id ?? randomUUID()
    const callable: CallableModel = {
      id: randomUUID(),
      name: version,
      target: {
        provider: 'openai-compatible',
        model: version,
        baseUrl: `${this.providerUrl()}/v1`,
        apiKey: null,
        guarded: true,
      },
      inputRatio: 1,
      outputRatio: 1,
      secondsRatio: 1,
      trustsUsage: true,
    }
    this.#agents.set(id, {
      id,
      name: 'Played',
      organizationId: randomUUID(),
      isForeign: false,
      model: {
        ...callable,
        members: [callable],
        contextWindow: 100_000,
        capabilities: ['text', 'tools'],
      },
      system: '',
      temperature: undefined,
      maxTokens: undefined,
      tools,
      sharedToolsBytes: 0,
      knowledgeBaseIds: [],
      ...more,
    })
    return id
  }

  modelIdOf(agentId: string): string | undefined {
    return this.#agents.get(agentId)?.model.id
  }

  openTools: Door['openTools'] = async ({ tools }, request) => ({ request, tools })

  find: Door['find'] = async (_organizationId, agentId) => {
    const agent = this.#agents.get(agentId)
    if (!agent) throw fail('agent.not_found', { value: agentId })
    return agent
  }

  retrieve: Door['retrieve'] = async ({ id: agentId }, payer, query) => {
    this.asked.push({ agentId, query, payer })
    return this.passages.get(agentId) ?? []
  }
}

export const succeeded = (output: unknown): ToolOutcome => ({ output, successful: true, error: null })

/** Returns a tool whose result comes from `run`. */
export const tool = (
  name: string,
  run: (input: Record<string, unknown>, signal: AbortSignal) => Promise<ToolOutcome>,
): RunnableTool => ({
  definition: { name, description: `The tool ${name}`, parameters: { type: 'object', properties: {} } },
  timeoutMs: 20_000,
  run,
})

/** Returns a tool that runs until it is aborted, and counts of its started and aborted runs. */
export function endlessTool(name: string): { tool: RunnableTool; runs: { begun: number; aborted: number } } {
  const runs = { begun: 0, aborted: 0 }
  const run = (_input: object, signal: AbortSignal) =>
    new Promise<ToolOutcome>((_resolve, reject) => {
      runs.begun += 1
      signal.addEventListener('abort', () => {
        runs.aborted += 1
        reject(signal.reason)
      })
    })
  return { tool: tool(name, run), runs }
}
