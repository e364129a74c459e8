import { parseExactJson } from '#database/exact-json.ts'
import { type Behaviour, type End, pieces, stepOf, words } from './behaviour.ts'

/** A reply as events in a provider's format. `body` has one event per chunk of the reply. */
export interface Script {
  head: string[]
  body: string[]
  /** The final events of a complete reply: the usage and the end marker. */
  tail: string[]
  errorEvent: string
}

/** A provider's wire format: that of OpenAI, Anthropic or Gemini. */
export interface Format {
  script(model: string, request: ProviderRequest, behaviour: Behaviour, inputTokens: number): Script
  error(status: number): object
}

/** The fields of a request that the emulator reads, in all formats together. */
export interface ProviderRequest {
  messages?: { role: string; content: unknown }[]
  contents?: { role: string; parts: { text?: string; functionResponse?: unknown }[] }[]
  tools?: {
    function?: { name: string; parameters?: unknown }
    name?: string
    input_schema?: unknown
    functionDeclarations?: { name: string; parametersJsonSchema?: unknown }[]
  }[]
  tool_choice?: string | { type?: string }
  toolConfig?: { functionCallingConfig?: { mode?: string } }
  stream_options?: { include_usage?: boolean }
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const named = (value: { type: string }): string => `event: ${value.type}\n${data(value)}`

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join('') : ''
}

interface Turn {
  role: 'user' | 'model' | 'tool'
  text: string
}

/**
 * Returns the turns of a conversation in any format. In the formats of Anthropic and Gemini, tool results are part of
 * user turns.
 */
function turnsOf({ contents, messages = [] }: ProviderRequest): Turn[] {
  if (contents)
    return contents.map(({ role, parts }) => ({
      role: role === 'model' ? 'model' : parts.some((part) => part.functionResponse) ? 'tool' : 'user',
      text: textOf(parts),
    }))
  return messages
    .filter(({ role }) => role !== 'system')
    .map(({ role, content }) => {
      const isAnswer = Array.isArray(content) && content.some(({ type }) => type === 'tool_result')
      const kind = role === 'assistant' ? 'model' : role === 'tool' || isAnswer ? 'tool' : 'user'
      return { role: kind, text: textOf(content) }
    })
}

/** Returns the text of the last user turn, and the number of model steps since then. */
function lastAsked(request: ProviderRequest): { userText: string; step: number } {
  const turns = turnsOf(request)
  const asked = turns.findLastIndex(({ role }) => role === 'user')
  const since = turns.slice(asked + 1)
  // A request that ends with a partial reply asks the model to continue it, without the user's script.
  if (asked < 0 || since.at(-1)?.role === 'model') return { userText: '', step: 0 }
  return { userText: turns[asked]?.text ?? '', step: since.filter(({ role }) => role === 'model').length }
}

/** Returns the step of the tool conversation that a request asks for, from 1. */
export const stepNumber = (request: ProviderRequest): number => lastAsked(request).step + 1

/** Returns the names of the tools that the model may call. */
function offeredTools(request: ProviderRequest): string[] {
  const { tools = [], tool_choice: choice, toolConfig } = request
  const mode = typeof choice === 'object' ? choice.type : choice
  if (mode === 'none' || toolConfig?.functionCallingConfig?.mode === 'NONE') return []
  return tools.flatMap(
    (tool) => tool.functionDeclarations?.map(({ name }) => name) ?? tool.function?.name ?? tool.name ?? [],
  )
}

const OUTPUT_TOKENS_OF_A_CALL = 12

function plan(request: ProviderRequest, behaviour: Behaviour) {
  const { userText, step } = lastAsked(request)
  const { text, calls } = stepOf(userText, step, behaviour, offeredTools(request))
  const isSilent = calls.length > 0 && !text.includes('say: ')
  const said = isSilent ? [] : pieces(behaviour, request, text)
  const reasoning = words(behaviour.reasoningTokens)
  const output = calls.length * OUTPUT_TOKENS_OF_A_CALL + said.length + reasoning.length
  return { calls, text: said, reasoning, output }
}

type Ends = Partial<Record<End, string>>
const OPENAI_ENDS: Ends = { length: 'length', filter: 'content_filter', unknown: 'paused' }
const ANTHROPIC_ENDS: Ends = { length: 'max_tokens', refusal: 'refusal', unknown: 'eos_token' }
const GOOGLE_ENDS: Ends = { length: 'MAX_TOKENS', filter: 'SAFETY', unknown: 'OTHER' }

/** Returns the provider's word for the end of a reply without tool calls. */
const endOf = ({ ends }: Behaviour, words: Ends, otherwise: string): string =>
  (ends && words[ends]) ?? otherwise

const halves = (text: string): string[] => [text.slice(0, text.length >> 1), text.slice(text.length >> 1)]

export const openAi: Format = {
  script(model, request, behaviour, inputTokens) {
    const { calls, text, reasoning, output } = plan(request, behaviour)
    const chunk = (delta: object, finish: string | null = null): string =>
      data({
        id: 'chatcmpl-emulated',
        object: 'chat.completion.chunk',
        created: 1_700_000_000,
        model,
        system_fingerprint: 'fp_emulated',
        choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
        ...(request.stream_options?.include_usage && { usage: null }),
      })
    const toolDelta = (index: number, call: object): string => chunk({ tool_calls: [{ index, ...call }] })
    const { claims: prompt_tokens = inputTokens, claims: completion_tokens = output } = behaviour
    const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
    const toolCalls = calls.flatMap(({ name, input }, index) => [
      toolDelta(index, { id: `call_${index + 1}`, type: 'function', function: { name, arguments: '' } }),
      ...halves(input).map((half) => toolDelta(index, { function: { arguments: half } })),
    ])
    return {
      head: [chunk({ role: 'assistant', content: '', refusal: null })],
      body: [
        ...reasoning.map((piece) => chunk({ reasoning_content: piece })),
        ...text.map((piece) => chunk({ content: piece })),
        ...toolCalls,
      ],
      tail: [
        chunk({}, calls.length > 0 ? 'tool_calls' : endOf(behaviour, OPENAI_ENDS, 'stop')),
        ...(request.stream_options?.include_usage && !behaviour.noUsage
          ? [
              data({
                id: 'chatcmpl-emulated',
                object: 'chat.completion.chunk',
                created: 1_700_000_000,
                model,
                choices: [],
                usage,
              }),
            ]
          : []),
        'data: [DONE]\n\n',
      ],
      errorEvent: data({ error: { message: 'The server had an error', type: 'server_error', code: null } }),
    }
  },
  error: (status) => ({
    error: {
      message: `Emulated ${status}: your key key-of-a-tenant`,
      type: 'emulated',
      param: null,
      code: null,
    },
  }),
}

export const anthropic: Format = {
  script(model, request, behaviour, inputTokens) {
    const { calls, text, reasoning, output } = plan(request, behaviour)
    const usage = {
      input_tokens: inputTokens - 2,
      cache_read_input_tokens: 2,
      cache_creation_input_tokens: 0,
    }
    const start = (index: number, block: object) =>
      named({ type: 'content_block_start', index, content_block: block } as never)
    const delta = (index: number, value: object) =>
      named({ type: 'content_block_delta', index, delta: value } as never)
    const stop = (index: number) => named({ type: 'content_block_stop', index } as never)
    const message = {
      id: 'msg_emulated',
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usage, output_tokens: 1 },
    }
    /** The start event of a block is sent with its first piece, and the end event with its last piece. */
    const body: string[] = []
    let index = 0
    const block = (begin: object, pieces: object[], last: object[] = []): void => {
      const events = pieces.map((piece) => delta(index, piece))
      events[0] = `${start(index, begin)}${index === 0 ? named({ type: 'ping' }) : ''}${events[0] ?? ''}`
      events[events.length - 1] += last.map((piece) => delta(index, piece)).join('') + stop(index)
      body.push(...events)
      index += 1
    }
    if (reasoning.length > 0)
      block(
        { type: 'thinking', thinking: '', signature: '' },
        reasoning.map((piece) => ({ type: 'thinking_delta', thinking: piece })),
        [{ type: 'signature_delta', signature: 'c2ln' }],
      )
    if (text.length > 0 || calls.length === 0)
      block(
        { type: 'text', text: '' },
        text.map((piece) => ({ type: 'text_delta', text: piece })),
      )
    for (const [place, { name, input }] of calls.entries())
      block(
        { type: 'tool_use', id: `toolu_${place + 1}`, name, input: {} },
        halves(input).map((half) => ({ type: 'input_json_delta', partial_json: half })),
      )
    return {
      head: [named({ type: 'message_start', message } as never)],
      body,
      tail: [
        named({
          type: 'message_delta',
          delta: {
            stop_reason: calls.length > 0 ? 'tool_use' : endOf(behaviour, ANTHROPIC_ENDS, 'end_turn'),
            stop_sequence: null,
          },
          ...(!behaviour.noUsage && { usage: { output_tokens: output } }),
        } as never),
        named({ type: 'message_stop' }),
      ],
      errorEvent: named({
        type: 'error',
        error: { type: 'overloaded_error', message: 'Overloaded' },
      } as never),
    }
  },
  error: (status) => ({ type: 'error', error: { type: 'emulated', message: `Emulated ${status}` } }),
}

export const google: Format = {
  script(model, request, behaviour, inputTokens) {
    const { calls, text, reasoning, output } = plan(request, behaviour)
    const usage = {
      promptTokenCount: inputTokens,
      candidatesTokenCount: output - reasoning.length,
      thoughtsTokenCount: reasoning.length,
      totalTokenCount: inputTokens + output,
    }
    const chunk = (parts: object[], finish?: string): string =>
      data({
        candidates: [
          { content: { parts, role: 'model' }, index: 0, ...(finish && { finishReason: finish }) },
        ],
        ...(finish && !behaviour.noUsage && { usageMetadata: usage }),
        modelVersion: model,
        responseId: 'emulated',
      })
    return {
      head: [],
      body: [
        ...reasoning.map((piece) => chunk([{ text: piece, thought: true }])),
        ...text.map((piece) => chunk([{ text: piece }])),
        // Only the first of several calls has a signature.
        ...calls.map(({ name, input }, index) =>
          chunk([
            {
              functionCall: { name, args: parseExactJson(input) },
              ...(index === 0 && { thoughtSignature: 'c2ln' }),
            },
          ]),
        ),
      ],
      tail: [chunk([{ text: '' }], endOf(behaviour, GOOGLE_ENDS, 'STOP'))],
      errorEvent: data({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }),
    }
  },
  error: (status) => ({ error: { code: status, message: `Emulated ${status}`, status: 'EMULATED' } }),
}
