import { fail } from '#errors'
import type { EventStream } from '#platform/http/define-route.ts'
import { openAiError } from '#platform/http/wire-errors.ts'
import type { ModelSink, TokenLogprob, ToolCall } from '#platform/models/types.ts'
import { EventLog } from '#platform/streams/event-log.ts'
import type { Sender } from '../agents/index.ts'
import type { Outcome } from '../llm/index.ts'
import { readChatRequest } from './chat-request.ts'
import { type Generation, generate, type OpenAiDependencies } from './generate.ts'
import { usesFunctions } from './legacy-functions.ts'
import { ignoredHeader, withIgnored } from './review-parameters.ts'
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
  const request = await readChatRequest(deps.services, sender, body)
  if (body.stream) return streamCompletion(deps, sender, body, request, left)
  const calls: ToolCall[] = []
  const probabilities: TokenLogprob[] = []
  let reasoning = ''
  const sink = {
    text: (_text: string, logprobs: TokenLogprob[] = []) => {
      probabilities.push(...logprobs)
    },
    reasoning: (text: string) => {
      reasoning += text
    },
    toolCall: (call: ToolCall) => {
      calls.push(call)
    },
  }
  const call = { name: body.model, request }
  const { id, created, model, ended, ignored } = await generate(deps, sender, call, sink, left)
  const outcome = await ended
  if (left.aborted) throw fail('request.abandoned')
  if (outcome.failure) throw outcome.failure
  const isCall = outcome.finishReason === 'tool_calls'
  const message = {
    role: 'assistant',
    content: outcome.content === '' && isCall ? null : outcome.content,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(isCall && viewCalls(body, calls)),
  }
  const logprobs = viewLogprobs(body.logprobs ? probabilities : undefined)
  const completion = {
    id: `chatcmpl-${id}`,
    object: 'chat.completion' as const,
    created,
    model,
    choices: [{ index: 0, message, logprobs, finish_reason: finishOf(outcome, usesFunctions(body)) }],
    usage: usageOf(outcome),
  }
  return withIgnored(completion, ignored)
}

const viewLogprobs = (probabilities: TokenLogprob[] | undefined) =>
  probabilities ? { content: probabilities, refusal: null } : null

/** Returns the calls of a message, in the form in which the request defines its tools. */
function viewCalls(body: ChatCompletionRequest, calls: readonly ToolCall[]): object {
  const viewed = calls.map(viewCall)
  return usesFunctions(body) ? { function_call: viewed[0]?.function } : { tool_calls: viewed }
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
  left: AbortSignal,
): Promise<EventStream> {
  const stream = new CompletionStream(body)
  const abandoned = new AbortController()
  const signal = AbortSignal.any([left, abandoned.signal])
  const generation = await generate(deps, sender, { name: body.model, request }, stream.sink, signal)
  stream.begin(generation)
  void generation.ended.then((outcome) => stream.end(outcome))
  return { log: stream.log, named: false, abandoned, ...ignoredHeader(generation.ignored) }
}

/** Writes the chunks of a completion to an event log, from which the response is streamed. */
class CompletionStream {
  readonly log = new EventLog()
  readonly #body: ChatCompletionRequest
  readonly #includesUsage: boolean
  #head = ''
  #events = 0
  #calls = 0
  /** Deltas that arrived before the completion's id was known. */
  #early: [delta: string, logprobs: TokenLogprob[] | undefined][] = []

  constructor(body: ChatCompletionRequest) {
    this.#body = body
    this.#includesUsage = body.stream_options?.include_usage ?? false
  }

  readonly sink: ModelSink = {
    text: (text, logprobs) => this.#delta(`{"content":${JSON.stringify(text)}}`, logprobs),
    reasoning: (text) => this.#delta(`{"reasoning_content":${JSON.stringify(text)}}`),
    toolCall: (call) => {
      const viewed = viewCall(call)
      const isLegacy = usesFunctions(this.#body)
      this.#delta(
        JSON.stringify(
          isLegacy ? { function_call: viewed.function } : { tool_calls: [{ index: this.#calls, ...viewed }] },
        ),
      )
      this.#calls += 1
    },
  }

  begin({ id, created, model }: Generation): void {
    this.#head = `{"id":"chatcmpl-${id}","object":"chat.completion.chunk","created":${created},"model":${JSON.stringify(model)}`
    this.#delta('{"role":"assistant","content":""}')
    for (const [delta, logprobs] of this.#early) this.#delta(delta, logprobs)
  }

  end(outcome: Outcome): void {
    if (outcome.failure) {
      this.#append(JSON.stringify(openAiError(outcome.failure)))
      this.log.end()
      return
    }
    this.#choice('{}', JSON.stringify(finishOf(outcome, usesFunctions(this.#body))))
    if (this.#includesUsage)
      this.#append(`${this.#head},"choices":[],"usage":${JSON.stringify(usageOf(outcome))}}`)
    this.#append('[DONE]')
    this.log.end()
  }

  #delta(delta: string, logprobs?: TokenLogprob[]): void {
    if (this.#head === '') this.#early.push([delta, logprobs])
    else this.#choice(delta, 'null', logprobs)
  }

  #choice(delta: string, finishReason: string, logprobs?: TokenLogprob[]): void {
    const usage = this.#includesUsage ? ',"usage":null' : ''
    const shown = logprobs ? JSON.stringify(viewLogprobs(logprobs)) : 'null'
    this.#append(
      `${this.#head},"choices":[{"index":0,"delta":${delta},"logprobs":${shown},"finish_reason":${finishReason}}]${usage}}`,
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

export const finishOf = ({ finishReason }: Outcome, isLegacy = false): string =>
  finishReason === 'tool_calls' && isLegacy ? 'function_call' : FINISH[finishReason ?? 'other']

export function usageOf({ usage }: Outcome) {
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0, reasoningTokens = 0 } = usage ?? {}
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  }
}
