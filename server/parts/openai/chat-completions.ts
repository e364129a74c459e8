import { fail } from '#errors'
import type { EventStream } from '#platform/http/define-route.ts'
import { openAiError } from '#platform/http/send-error.ts'
import type { ModelSink, ToolCall } from '#platform/models/types.ts'
import { EventLog } from '#platform/streams/event-log.ts'
import type { Sender } from '../agents/index.ts'
import type { Outcome } from '../llm/index.ts'
import { readChatRequest } from './chat-request.ts'
import { type Generation, generate, type OpenAiDependencies } from './generate.ts'
import type { ChatCompletionRequest } from './schemas.ts'

/**
 * Implements OpenAI's chat completions, as one response or streamed. A client disconnect aborts the call. Reasoning
 * is in `reasoning_content`, as in DeepSeek's API. https://platform.openai.com/docs/api-reference/chat
 */
export async function completeChat(
  deps: OpenAiDependencies,
  sender: Sender,
  body: ChatCompletionRequest,
  left: AbortSignal,
) {
  const request = await readChatRequest(deps.services.net, body)
  if (body.stream) return streamCompletion(deps, sender, body, request)
  const calls: ToolCall[] = []
  let reasoning = ''
  const sink = {
    text: () => {},
    reasoning: (text: string) => {
      reasoning += text
    },
    toolCall: (call: ToolCall) => {
      calls.push(call)
    },
  }
  const { id, created, ended } = await generate(deps, sender, body.model, request, sink, left)
  const outcome = await ended
  if (left.aborted) throw fail('request.abandoned')
  if (outcome.error !== null) throw fail('llm.failed', { reason: outcome.error })
  const isCall = outcome.finishReason === 'tool_calls'
  const message = {
    role: 'assistant',
    content: outcome.content === '' && isCall ? null : outcome.content,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(isCall && { tool_calls: calls.map(viewCall) }),
  }
  return {
    id: `chatcmpl-${id}`,
    object: 'chat.completion' as const,
    created,
    model: body.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(outcome) }],
    usage: usageOf(outcome),
  }
}

const viewCall = ({ id, name, input }: ToolCall) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
})

async function streamCompletion(
  deps: OpenAiDependencies,
  sender: Sender,
  body: ChatCompletionRequest,
  request: Awaited<ReturnType<typeof readChatRequest>>,
): Promise<EventStream> {
  const stream = new CompletionStream(body.model, body.stream_options?.include_usage ?? false)
  const abandoned = new AbortController()
  const generation = await generate(deps, sender, body.model, request, stream.sink, abandoned.signal)
  stream.begin(generation)
  void generation.ended.then((outcome) => stream.end(outcome))
  return { log: stream.log, named: false, abandoned }
}

/** Writes the chunks of a completion to an event log, from which the response is streamed. */
class CompletionStream {
  readonly log = new EventLog()
  readonly #model: string
  readonly #includesUsage: boolean
  #head = ''
  #events = 0
  #calls = 0
  /** Deltas that arrived before the completion's id was known. */
  #early: string[] = []

  constructor(model: string, includesUsage: boolean) {
    this.#model = model
    this.#includesUsage = includesUsage
  }

  readonly sink: ModelSink = {
    text: (text) => this.#delta(`{"content":${JSON.stringify(text)}}`),
    reasoning: (text) => this.#delta(`{"reasoning_content":${JSON.stringify(text)}}`),
    toolCall: (call) => {
      this.#delta(JSON.stringify({ tool_calls: [{ index: this.#calls, ...viewCall(call) }] }))
      this.#calls += 1
    },
  }

  begin({ id, created }: Generation): void {
    const model = JSON.stringify(this.#model)
    this.#head = `{"id":"chatcmpl-${id}","object":"chat.completion.chunk","created":${created},"model":${model}`
    this.#delta('{"role":"assistant","content":""}')
    for (const delta of this.#early) this.#delta(delta)
  }

  end(outcome: Outcome): void {
    if (outcome.error !== null) {
      this.#append(JSON.stringify(openAiError(fail('llm.failed', { reason: outcome.error }))))
      this.log.end()
      return
    }
    this.#choice('{}', JSON.stringify(finishOf(outcome)))
    if (this.#includesUsage)
      this.#append(`${this.#head},"choices":[],"usage":${JSON.stringify(usageOf(outcome))}}`)
    this.#append('[DONE]')
    this.log.end()
  }

  #delta(delta: string): void {
    if (this.#head === '') this.#early.push(delta)
    else this.#choice(delta, 'null')
  }

  #choice(delta: string, finishReason: string): void {
    const usage = this.#includesUsage ? ',"usage":null' : ''
    this.#append(
      `${this.#head},"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finishReason}}]${usage}}`,
    )
  }

  #append(data: string): void {
    this.#events += 1
    this.log.append(String(this.#events), data)
  }
}

const FINISH = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  other: 'stop',
} as const

const finishOf = ({ finishReason }: Outcome): string => FINISH[finishReason ?? 'other']

function usageOf({ usage }: Outcome) {
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {}
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  }
}
