import {
  createModels,
  type RunnableTool,
  ToolLoop,
  type ToolOutcome,
  type ToolSink,
} from '#platform/models/index.ts'
import type { ModelRequest, ModelTarget, Provider, ToolCall } from '#platform/models/types.ts'
import { createNet } from '#platform/net/index.ts'
import { startProvider } from './index.ts'

/* Helpers for tests in which the tool loop converses with the emulated provider. */

export const NEVER_ABORTED = new AbortController().signal

export const done = (output: unknown): ToolOutcome => ({ output, successful: true, error: null })

export const tool = (
  name: string,
  run: (input: Record<string, unknown>, signal: AbortSignal) => unknown,
  timeoutMs = 5_000,
): RunnableTool => ({
  definition: { name, description: 'd', parameters: { type: 'object' } },
  run: run as RunnableTool['run'],
  timeoutMs,
})
export const weather = tool('weather', async ({ city }) => done({ city, sky: 'rain' }))
export const clock = tool('clock', async () => done('nine'))

export interface Conversation {
  model?: string
  provider?: Provider
  tools?: RunnableTool[]
  signal?: AbortSignal
  contextWindow?: number
  request?: Partial<ModelRequest>
}

/** Starts the emulated provider, and a model client that connects to it. */
export async function startConversations() {
  const emulated = await startProvider()
  const net = createNet({ allowPrivateNetwork: true })
  const models = createModels({ net })
  return {
    models,
    close: () => Promise.all([net.close(), emulated.close()]),
    /** Runs a model with the script in `content` (see behaviour.ts) and records all events. */
    converse: (content: string, conversation: Conversation = {}) =>
      converse(models, emulated, content, conversation),
    /** Returns the contents of the tool result elements in the newest request. */
    shown: (): string[] =>
      [
        ...JSON.stringify(emulated.requests.at(-1)?.body).matchAll(
          /<tool_output>\\n(.*?)\\n<\/tool_output>/g,
        ),
      ].map(([, text = '']) => JSON.parse(`"${text}"`) as string),
  }
}

function converse(
  models: ReturnType<typeof createModels>,
  emulated: Awaited<ReturnType<typeof startProvider>>,
  content: string,
  conversation: Conversation,
) {
  const { model = 'emu-n3', provider = 'openai-compatible', tools = [weather, clock] } = conversation
  const target: ModelTarget = { provider, model, baseUrl: `${emulated.url}/v1`, apiKey: 'k', guarded: false }
  const request: ModelRequest = { messages: [{ role: 'user', content }], ...conversation.request }
  const { contextWindow = 200_000 } = conversation
  const called = { members: [{ target, trustsUsage: true }], contextWindow } as const
  const loop = new ToolLoop(models, called, request, tools)
  const heard = {
    text: '',
    reasoning: '',
    log: [] as string[],
    calls: [] as ToolCall[],
    bugs: [] as unknown[],
  }
  const outcomes: ToolOutcome[] = []
  const sink: ToolSink = {
    text: (text) => {
      heard.text += text
    },
    reasoning: (text) => {
      heard.reasoning += text
    },
    toolCall: (call) => {
      heard.log.push(`call ${call.name}`)
      heard.calls.push(call)
    },
    toolStarted: ({ name }) => void heard.log.push(`start ${name}`),
    toolEnded: ({ name }, outcome) => {
      heard.log.push(`end ${name}`)
      outcomes.push(outcome)
    },
    toolBroke: (_call, error) => void heard.bugs.push(error),
  }
  const before = emulated.requests.length
  const ended = loop.run(sink, conversation.signal ?? NEVER_ABORTED)
  return { loop, heard, outcomes, ended, requests: () => emulated.requests.slice(before) }
}

/** Returns the reason with which a promise rejects, or undefined if it resolves. */
export async function reasonOf(ended: Promise<unknown>): Promise<unknown> {
  return ended.then(
    () => undefined,
    (reason: unknown) => reason,
  )
}
