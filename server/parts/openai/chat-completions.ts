import { fail } from '#errors'
import type { EventStream } from '#platform/http/define-route.ts'
import { openAiError } from '#platform/http/wire-errors.ts'
import type { ModelRequest, ModelSink, TokenLogprob, ToolCall } from '#platform/models/types.ts'
import { EventLog } from '#platform/streams/event-log.ts'
import type { Sender } from '../agents/index.ts'
import type { Outcome } from '../llm/index.ts'
import { readChatRequest } from './chat-request.ts'
import { viewChatCall } from './chat-tools.ts'
import type { ClientTools } from './client-tools.ts'
import type { Generation, OpenAiDependencies } from './generate.ts'
import { generateChoices } from './generate-choices.ts'
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
  { n: count, ...body }: ChatCompletionRequest,
  left: AbortSignal,
) {
  const { request, tools } = await readChatRequest(deps.services, sender, body)
  const indexes = Array.from({ length: count ?? 1 }, (_, index) => index)
  if (body.stream) return streamCompletion(deps, sender, body, { request, tools, indexes }, left)
  const replies = indexes.map(() => new CollectedReply())
  const sinks = replies.map(({ sink }) => sink) as [ModelSink, ...ModelSink[]]
  const call = { name: body.model, request }
  const { first, ended, failure } = await generateChoices(deps, sender, call, sinks, left)
  const outcomes = await Promise.all(ended)
  const broke = await failure
  if (left.aborted) throw fail('request.abandoned')
  if (broke) throw broke
  const { id, created, model, ignored } = first
  const completion = {
    id: `chatcmpl-${id}`,
    object: 'chat.completion' as const,
    created,
    model,
    choices: replies.map((reply, index) => reply.view(body, tools, index, outcomes[index] as Outcome)),
    usage: totalOf(outcomes),
  }
  return withIgnored(completion, [...tools.ignored, ...ignored])
}

/** A reply that is not streamed. */
class CollectedReply {
  readonly #calls: ToolCall[] = []
  readonly #probabilities: TokenLogprob[] = []
  #reasoning = ''
  #refusal = ''

  readonly sink: ModelSink = {
    text: (_text, logprobs = []) => {
      this.#probabilities.push(...logprobs)
    },
    reasoning: (text) => {
      this.#reasoning += text
    },
    refusal: (text) => {
      this.#refusal += text
    },
    toolCall: (call) => {
      this.#calls.push(call)
    },
  }

  view(body: ChatCompletionRequest, tools: ClientTools, index: number, outcome: Outcome) {
    const refusal = this.#refusal
    const isCall = outcome.finishReason === 'tool_calls'
    const content = outcome.content.slice(0, outcome.content.length - refusal.length)
    const reasoning = outcome.reasoning ?? this.#reasoning
    const message = {
      role: 'assistant',
      content: content === '' && (isCall || refusal !== '') ? null : content,
      refusal: refusal || null,
      ...(reasoning !== '' && { reasoning_content: reasoning }),
      ...(isCall && viewCalls(body, tools, this.#calls)),
    }
    const logprobs = viewLogprobs(body.logprobs ? this.#probabilities : undefined)
    const reason = refusal === '' ? finishOf(outcome, usesFunctions(body)) : FINISH.stop
    return { index, message, logprobs, finish_reason: reason }
  }
}

const viewLogprobs = (probabilities: TokenLogprob[] | undefined) =>
  probabilities ? { content: probabilities, refusal: null } : null

/** Returns the calls of a message, in the form in which the request defines its tools. */
function viewCalls(body: ChatCompletionRequest, tools: ClientTools, calls: readonly ToolCall[]): object {
  const viewed = calls.map((call) => viewChatCall(tools, call))
  return usesFunctions(body) ? { function_call: viewed[0]?.function } : { tool_calls: viewed }
}

async function streamCompletion(
  deps: OpenAiDependencies,
  sender: Sender,
  body: ChatCompletionRequest,
  { request, tools, indexes }: { request: ModelRequest; tools: ClientTools; indexes: readonly number[] },
  left: AbortSignal,
): Promise<EventStream> {
  const log = new EventLog()
  let events = 0
  const write = (data: string): void => {
    events += 1
    log.append(String(events), data)
  }
  const streams = indexes.map((index) => new ChoiceStream(body, tools, index, write))
  const abandoned = new AbortController()
  const signal = AbortSignal.any([left, abandoned.signal])
  const sinks = streams.map(({ sink }) => sink) as [ModelSink, ...ModelSink[]]
  const { first, ended, failure } = await generateChoices(
    deps,
    sender,
    { name: body.model, request },
    sinks,
    signal,
  )
  const head = headOf(first)
  for (const [index, stream] of streams.entries()) {
    stream.begin(head)
    void ended[index]?.then((outcome) => stream.end(outcome))
  }
  void Promise.all([failure, ...ended]).then(([broke, ...outcomes]) => {
    if (broke) write(JSON.stringify(openAiError(broke)))
    else {
      if (body.stream_options?.include_usage)
        write(`${head},"choices":[],"usage":${JSON.stringify(totalOf(outcomes))}}`)
      write('[DONE]')
    }
    log.end()
  })
  return { log, named: false, abandoned, ...ignoredHeader([...tools.ignored, ...first.ignored]) }
}

const headOf = ({ id, created, model }: Generation): string =>
  `{"id":"chatcmpl-${id}","object":"chat.completion.chunk","created":${created},"model":${JSON.stringify(model)}`

/** Writes the chunks of one choice of a completion for the event log from which the response is streamed. */
class ChoiceStream {
  readonly #write: (data: string) => void
  readonly #index: number
  readonly #body: ChatCompletionRequest
  readonly #tools: ClientTools
  readonly #includesUsage: boolean
  #head = ''
  #calls = 0
  #hasRefusal = false
  /** Deltas that arrived before the completion's id was known. */
  #early: [delta: string, logprobs: TokenLogprob[] | undefined][] = []

  constructor(body: ChatCompletionRequest, tools: ClientTools, index: number, write: (data: string) => void) {
    this.#body = body
    this.#tools = tools
    this.#index = index
    this.#write = write
    this.#includesUsage = body.stream_options?.include_usage ?? false
  }

  readonly sink: ModelSink = {
    text: (text, logprobs) => this.#delta(`{"content":${JSON.stringify(text)}}`, logprobs),
    refusal: (text) => {
      this.#hasRefusal = true
      this.#delta(`{"refusal":${JSON.stringify(text)}}`)
    },
    reasoning: (text) => this.#delta(`{"reasoning_content":${JSON.stringify(text)}}`),
    toolCall: (call) => {
      const viewed = viewChatCall(this.#tools, call)
      const isLegacy = usesFunctions(this.#body)
      this.#delta(
        JSON.stringify(
          isLegacy ? { function_call: viewed.function } : { tool_calls: [{ index: this.#calls, ...viewed }] },
        ),
      )
      this.#calls += 1
    },
  }

  begin(head: string): void {
    this.#head = head
    this.#delta('{"role":"assistant","content":""}')
    for (const [delta, logprobs] of this.#early) this.#delta(delta, logprobs)
  }

  /** Writes the last chunk, unless the call failed. */
  end(outcome: Outcome): void {
    if (outcome.failure) return
    const reason = this.#hasRefusal ? FINISH.stop : finishOf(outcome, usesFunctions(this.#body))
    this.#choice('{}', JSON.stringify(reason))
  }

  #delta(delta: string, logprobs?: TokenLogprob[]): void {
    if (this.#head === '') this.#early.push([delta, logprobs])
    else this.#choice(delta, 'null', logprobs)
  }

  #choice(delta: string, finishReason: string, logprobs?: TokenLogprob[]): void {
    const usage = this.#includesUsage ? ',"usage":null' : ''
    const shown = logprobs ? JSON.stringify(viewLogprobs(logprobs)) : 'null'
    this.#write(
      `${this.#head},"choices":[{"index":${this.#index},"delta":${delta},"logprobs":${shown},"finish_reason":${finishReason}}]${usage}}`,
    )
  }
}

const FINISH = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  /** A refusal whose words are in the content. The format has no other reason for it. */
  refusal: 'content_filter',
  other: 'stop',
} as const

export const finishOf = ({ finishReason }: Outcome, isLegacy = false): string =>
  finishReason === 'tool_calls' && isLegacy ? 'function_call' : FINISH[finishReason ?? 'other']

/** Returns the usage of all replies to one request. */
function totalOf(outcomes: readonly Outcome[]): ReturnType<typeof usageOf> {
  const [first, ...others] = outcomes.map(usageOf) as [ReturnType<typeof usageOf>]
  return others.reduce(
    (sum, next: ReturnType<typeof usageOf>) => ({
      prompt_tokens: sum.prompt_tokens + next.prompt_tokens,
      completion_tokens: sum.completion_tokens + next.completion_tokens,
      total_tokens: sum.total_tokens + next.total_tokens,
      prompt_tokens_details: {
        cached_tokens: sum.prompt_tokens_details.cached_tokens + next.prompt_tokens_details.cached_tokens,
      },
      completion_tokens_details: {
        reasoning_tokens:
          sum.completion_tokens_details.reasoning_tokens + next.completion_tokens_details.reasoning_tokens,
      },
    }),
    first,
  )
}

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
