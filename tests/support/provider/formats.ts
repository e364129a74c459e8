import { type Behaviour, pieces, wantedTool, words } from './behaviour.ts'

/** A reply in a provider's format: events before, one event for each piece, and events after. */
export interface Script {
  head: string[]
  body: string[]
  /** What ends a stream properly: usage and the end marker. */
  tail: string[]
  errorEvent: string
}

/** One of the three wire formats. */
export interface Format {
  script(model: string, request: ProviderRequest, behaviour: Behaviour, inputTokens: number): Script
  error(status: number): object
}

/** The part of a request that the emulator looks at, whatever the format. */
export interface ProviderRequest {
  messages?: { role: string; content: unknown }[]
  contents?: { role: string; parts: { text?: string; functionResponse?: unknown }[] }[]
  tools?: { function?: { name: string }; name?: string; functionDeclarations?: { name: string }[] }[]
  stream_options?: { include_usage?: boolean }
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const named = (value: { type: string }): string => `event: ${value.type}\n${data(value)}`

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join('') : ''
}

/** What the user said last, unless a tool has answered since. */
function lastUserText(request: ProviderRequest): string {
  if (request.contents) {
    const last = request.contents.at(-1)
    return last?.role === 'model' ? '' : (last?.parts ?? []).map((part) => part.text ?? '').join('')
  }
  const last = request.messages?.at(-1)
  return last?.role === 'user' ? textOf(last.content) : ''
}

const offeredTools = (request: ProviderRequest): string[] =>
  (request.tools ?? []).flatMap(
    (tool) => tool.functionDeclarations?.map(({ name }) => name) ?? tool.function?.name ?? tool.name ?? [],
  )

function plan(request: ProviderRequest, behaviour: Behaviour) {
  const userText = lastUserText(request)
  const tool = wantedTool(userText, offeredTools(request))
  return {
    tool,
    text: tool ? [] : pieces(behaviour, request, userText),
    reasoning: words(behaviour.reasoningTokens),
  }
}

const halves = (text: string): string[] => [text.slice(0, text.length >> 1), text.slice(text.length >> 1)]

export const openAi: Format = {
  script(model, request, behaviour, inputTokens) {
    const { tool, text, reasoning } = plan(request, behaviour)
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
    const toolDelta = (call: object): string => chunk({ tool_calls: [{ index: 0, ...call }] })
    const output = tool ? 12 : text.length + reasoning.length
    const usage = {
      prompt_tokens: inputTokens,
      completion_tokens: output,
      total_tokens: inputTokens + output,
    }
    const toolCall = tool && [
      toolDelta({ id: 'call_1', type: 'function', function: { name: tool.name, arguments: '' } }),
      ...halves(tool.input).map((half) => toolDelta({ function: { arguments: half } })),
    ]
    return {
      head: [chunk({ role: 'assistant', content: '', refusal: null })],
      body: [
        ...reasoning.map((piece) => chunk({ reasoning_content: piece })),
        ...(toolCall ?? text.map((piece) => chunk({ content: piece }))),
      ],
      tail: [
        chunk({}, tool ? 'tool_calls' : 'stop'),
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
    const { tool, text, reasoning } = plan(request, behaviour)
    const first = reasoning.length > 0 ? 1 : 0
    const output = tool ? 12 : text.length + reasoning.length
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
    const thinking = reasoning.map((piece) => delta(0, { type: 'thinking_delta', thinking: piece }))
    const answer = tool
      ? halves(tool.input).map((half) => delta(first, { type: 'input_json_delta', partial_json: half }))
      : text.map((piece) => delta(first, { type: 'text_delta', text: piece }))
    const block = tool
      ? { type: 'tool_use', id: 'toolu_1', name: tool.name, input: {} }
      : { type: 'text', text: '' }
    if (first === 1) {
      thinking[0] = start(0, { type: 'thinking', thinking: '', signature: '' }) + thinking[0]
      thinking[thinking.length - 1] += delta(0, { type: 'signature_delta', signature: 'c2ln' }) + stop(0)
    }
    answer[0] = `${start(first, block)}${named({ type: 'ping' })}${answer[0] ?? ''}`
    return {
      head: [named({ type: 'message_start', message } as never)],
      body: [...thinking, ...answer],
      tail: [
        stop(first),
        named({
          type: 'message_delta',
          delta: { stop_reason: tool ? 'tool_use' : 'end_turn', stop_sequence: null },
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
    const { tool, text, reasoning } = plan(request, behaviour)
    const usage = {
      promptTokenCount: inputTokens,
      candidatesTokenCount: tool ? 12 : text.length,
      thoughtsTokenCount: reasoning.length,
      totalTokenCount: inputTokens + text.length + reasoning.length,
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
        ...(tool
          ? [
              chunk([
                { functionCall: { name: tool.name, args: JSON.parse(tool.input) }, thoughtSignature: 'c2ln' },
              ]),
            ]
          : text.map((piece) => chunk([{ text: piece }]))),
      ],
      tail: [chunk([{ text: '' }], 'STOP')],
      errorEvent: data({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }),
    }
  },
  error: (status) => ({ error: { code: status, message: `Emulated ${status}`, status: 'EMULATED' } }),
}
