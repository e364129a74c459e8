import { newId } from '#database/new-id.ts'
import type { ModelSink, ToolCall } from '#platform/models/types.ts'
import type { Outcome } from '../llm/index.ts'
import type { ResponseRequest } from './response-schemas.ts'

interface TextItem {
  type: 'message' | 'reasoning'
  id: string
  text: string
}

type Item = TextItem | { type: 'function_call'; id: string; call: ToolCall }

export type ResponseView = ReturnType<ResponseWriter['end']>

/**
 * Builds a response in OpenAI's format and emits its events. The response consists of message, reasoning and function
 * call items, in the order of the model's output. https://platform.openai.com/docs/api-reference/responses-streaming
 */
export class ResponseWriter {
  readonly #body: ResponseRequest
  readonly #emit: (event: { type: string }, number: number) => void
  readonly #items: Item[] = []
  #events = 0
  #id = ''
  #created = 0
  /** Calls of the sink that arrived before the response's id was known. Null once they have been replayed. */
  #early: (() => void)[] | null = []

  constructor(body: ResponseRequest, emit: (event: { type: string }, number: number) => void) {
    this.#body = body
    this.#emit = emit
  }

  readonly sink: ModelSink = {
    text: (text) => this.#when(() => this.#addText('message', text)),
    reasoning: (text) => this.#when(() => this.#addText('reasoning', text)),
    toolCall: (call) => this.#when(() => this.#addCall(call)),
  }

  begin(id: string, created: number): void {
    this.#id = `resp_${id}`
    this.#created = created
    const response = this.#view('in_progress', null)
    this.#emitEvent('response.created', { response })
    this.#emitEvent('response.in_progress', { response })
    const early = this.#early ?? []
    this.#early = null
    for (const add of early) add()
  }

  end(outcome: Outcome) {
    this.#endText()
    const status = outcome.failure ? 'failed' : outcome.finishReason === 'length' ? 'incomplete' : 'completed'
    const response = this.#view(status, outcome)
    this.#emitEvent(`response.${status}`, { response })
    return response
  }

  #when(add: () => void): void {
    if (this.#early === null) add()
    else this.#early.push(add)
  }

  #addText(type: TextItem['type'], text: string): void {
    const last = this.#items.at(-1)
    const item = last && 'text' in last && last.type === type ? last : this.#beginText(type)
    item.text += text
    const position = this.#position(item)
    if (type === 'message')
      this.#emitEvent('response.output_text.delta', {
        ...position,
        content_index: 0,
        delta: text,
        logprobs: [],
      })
    else this.#emitEvent('response.reasoning_text.delta', { ...position, content_index: 0, delta: text })
  }

  #beginText(type: TextItem['type']): TextItem {
    this.#endText()
    const item = { type, id: `${type === 'message' ? 'msg' : 'rs'}_${newId()}`, text: '' }
    this.#items.push(item)
    const output_index = this.#items.length - 1
    this.#emitEvent('response.output_item.added', { output_index, item: viewItem(item, 'in_progress') })
    this.#emitEvent('response.content_part.added', {
      ...this.#position(item),
      content_index: 0,
      part: partOf(item),
    })
    return item
  }

  #endText(): void {
    const item = this.#items.at(-1)
    if (!item || item.type === 'function_call') return
    const position = { ...this.#position(item), content_index: 0 }
    if (item.type === 'message')
      this.#emitEvent('response.output_text.done', { ...position, text: item.text, logprobs: [] })
    else this.#emitEvent('response.reasoning_text.done', { ...position, text: item.text })
    this.#emitEvent('response.content_part.done', { ...position, part: partOf(item) })
    this.#emitEvent('response.output_item.done', {
      output_index: position.output_index,
      item: viewItem(item, 'completed'),
    })
  }

  #addCall(call: ToolCall): void {
    this.#endText()
    const item: Item = { type: 'function_call', id: `fc_${newId()}`, call }
    this.#items.push(item)
    const position = this.#position(item)
    const { output_index } = position
    const text = JSON.stringify(call.input)
    this.#emitEvent('response.output_item.added', {
      output_index,
      item: { ...viewItem(item, 'in_progress'), arguments: '' },
    })
    this.#emitEvent('response.function_call_arguments.delta', { ...position, delta: text })
    this.#emitEvent('response.function_call_arguments.done', {
      ...position,
      name: call.name,
      arguments: text,
    })
    this.#emitEvent('response.output_item.done', { output_index, item: viewItem(item, 'completed') })
  }

  #position(item: Item): { item_id: string; output_index: number } {
    return { item_id: item.id, output_index: this.#items.indexOf(item) }
  }

  #emitEvent(type: string, data: object): void {
    this.#emit({ type, ...data }, this.#events)
    this.#events += 1
  }

  #view(status: 'in_progress' | 'completed' | 'incomplete' | 'failed', outcome: Outcome | null) {
    const { model, instructions = null, tools, tool_choice, temperature, top_p, metadata } = this.#body
    const { inputTokens = 0, outputTokens = 0, cachedTokens = 0, reasoningTokens = 0 } = outcome?.usage ?? {}
    const message = outcome?.failure?.message
    return {
      id: this.#id,
      object: 'response' as const,
      created_at: this.#created,
      status,
      background: false,
      error: message ? { code: 'server_error', message } : null,
      incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
      instructions,
      max_output_tokens: this.#body.max_output_tokens ?? null,
      model,
      output: this.#items.map((item) => viewItem(item, status === 'in_progress' ? status : 'completed')),
      parallel_tool_calls: this.#body.parallel_tool_calls ?? true,
      previous_response_id: null,
      reasoning: { effort: this.#body.reasoning?.effort ?? null, summary: null },
      store: false,
      temperature: temperature ?? null,
      text: { format: this.#body.text?.format ?? { type: 'text' } },
      tool_choice: tool_choice ?? 'auto',
      tools: tools ?? [],
      top_p: top_p ?? null,
      truncation: 'disabled',
      usage:
        outcome === null
          ? null
          : {
              input_tokens: inputTokens,
              input_tokens_details: { cached_tokens: cachedTokens },
              output_tokens: outputTokens,
              output_tokens_details: { reasoning_tokens: reasoningTokens },
              total_tokens: inputTokens + outputTokens,
            },
      metadata: metadata ?? {},
    }
  }
}

const partOf = ({ type, text }: TextItem) =>
  type === 'message'
    ? { type: 'output_text', text, annotations: [], logprobs: [] }
    : { type: 'reasoning_text', text }

function viewItem(item: Item, status: string): object {
  if (item.type === 'function_call') {
    const { id, name, input } = item.call
    return { type: item.type, id: item.id, call_id: id, name, arguments: JSON.stringify(input), status }
  }
  const content = item.text === '' ? [] : [partOf(item)]
  if (item.type === 'reasoning') return { type: item.type, id: item.id, summary: [], content }
  return { type: item.type, id: item.id, status, role: 'assistant', content }
}
