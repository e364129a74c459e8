import { newId } from '#database/new-id.ts'
import { argumentsTextOf } from '#platform/models/tool-calls.ts'
import type { ModelSink, TokenLogprob, ToolCall } from '#platform/models/types.ts'
import type { Outcome } from '../../llm/index.ts'
import type { ClientTools } from '../client-tools.ts'
import { customInput } from '../custom-tools.ts'
import { type Item, type ItemContent, type ItemView, nameOf, viewItem } from './items.ts'
import type { ResponseRequest } from './schemas.ts'
import { type ResponseView, viewResponse } from './view-response.ts'

interface TextItem {
  type: 'message' | 'reasoning'
  /** True for a message with which the model declined. */
  isRefusal: boolean
  id: string
  text: string
  logprobs: TokenLogprob[]
  status: 'in_progress' | 'completed' | 'incomplete'
}

interface CallItem {
  type: 'function_call' | 'custom_tool_call'
  id: string
  call: ToolCall
}

type OutputItem = TextItem | CallItem

const isCall = (item: OutputItem): item is CallItem => 'call' in item

export type Emit = (event: { type: string }, number: number) => void

/** Properties of a response that do not come from the model's output. */
interface Frame {
  id: string
  created: number
  model: string
  isStored: boolean
}

/**
 * Builds a response in OpenAI's format and emits its events. The response consists of message, reasoning and function
 * call items, in the order of the model's output. https://platform.openai.com/docs/api-reference/responses-streaming
 */
export class ResponseWriter {
  readonly #body: ResponseRequest
  readonly #tools: ClientTools
  readonly #emit: Emit
  readonly #summarizes: boolean
  readonly #items: OutputItem[] = []
  #events = 0
  #frame: Frame = { id: '', created: 0, model: '', isStored: false }
  /** Calls of the sink that arrived before the response's id was known. Null once they have been replayed. */
  #early: (() => void)[] | null = []

  constructor(body: ResponseRequest, tools: ClientTools, emit: Emit) {
    this.#body = body
    this.#tools = tools
    this.#emit = emit
    this.#summarizes = body.reasoning?.summary != null
  }

  readonly sink: ModelSink = {
    text: (text, logprobs) => this.#when(() => this.#addText('message', text, { logprobs })),
    refusal: (text) => this.#when(() => this.#addText('message', text, { isRefusal: true })),
    reasoning: (text) => this.#when(() => this.#addText('reasoning', text)),
    toolCall: (call) => this.#when(() => this.#addCall(call)),
  }

  begin(frame: Frame): void {
    this.#frame = frame
    const response = this.#view('in_progress', null)
    this.#emitEvent('response.created', { response })
    this.#emitEvent('response.in_progress', { response })
    const early = this.#early ?? []
    this.#early = null
    for (const add of early) add()
  }

  /** Ends the last item. Returns the response and its items. */
  finish(outcome: Outcome): { view: ResponseView; items: Item[] } {
    const status = statusOf(outcome)
    this.#endText(status === 'completed' ? status : 'incomplete')
    return { view: this.#view(status, outcome), items: this.#items.map(this.#asItem) }
  }

  /** Emits the last event. */
  conclude(response: ResponseView): void {
    this.#emitEvent(`response.${response.status}`, { response })
  }

  #when(add: () => void): void {
    if (this.#early === null) add()
    else this.#early.push(add)
  }

  #addText(
    type: TextItem['type'],
    text: string,
    { logprobs = [], isRefusal = false }: { logprobs?: TokenLogprob[] | undefined; isRefusal?: boolean } = {},
  ): void {
    const last = this.#items.at(-1)
    const continues = last?.type === type && (last as TextItem).isRefusal === isRefusal
    const item = continues ? (last as TextItem) : this.#beginText(type, isRefusal)
    item.text += text
    item.logprobs.push(...logprobs)
    const position = this.#partOf(item)
    if (isRefusal) this.#emitEvent('response.refusal.delta', { ...position, delta: text })
    else if (type === 'message')
      this.#emitEvent('response.output_text.delta', {
        ...position,
        delta: text,
        logprobs: logprobs.map(viewLogprob),
      })
    else this.#emitEvent(`response.${this.#reasoningText()}.delta`, { ...position, delta: text })
  }

  #beginText(type: TextItem['type'], isRefusal: boolean): TextItem {
    this.#endText('completed')
    const item: TextItem = { type, isRefusal, id: newId(), text: '', logprobs: [], status: 'in_progress' }
    this.#items.push(item)
    this.#emitEvent('response.output_item.added', {
      output_index: this.#items.length - 1,
      item: this.#viewItem(item),
    })
    this.#emitEvent(`response.${this.#part(item)}.added`, {
      ...this.#partOf(item),
      part: this.#viewPart(item),
    })
    return item
  }

  #endText(status: 'completed' | 'incomplete'): void {
    const item = this.#items.at(-1)
    if (!item || isCall(item) || item.status !== 'in_progress') return
    item.status = status
    const position = this.#partOf(item)
    const { text } = item
    if (item.isRefusal) this.#emitEvent('response.refusal.done', { ...position, refusal: text })
    else if (item.type === 'message')
      this.#emitEvent('response.output_text.done', {
        ...position,
        text,
        logprobs: item.logprobs.map(viewLogprob),
      })
    else this.#emitEvent(`response.${this.#reasoningText()}.done`, { ...position, text })
    this.#emitEvent(`response.${this.#part(item)}.done`, { ...position, part: this.#viewPart(item) })
    this.#emitEvent('response.output_item.done', {
      output_index: position.output_index,
      item: this.#viewItem(item),
    })
  }

  #addCall(call: ToolCall): void {
    this.#endText('completed')
    const { isCustom } = this.#tools.toolOf(call)
    const item: CallItem = { type: isCustom ? 'custom_tool_call' : 'function_call', id: newId(), call }
    this.#items.push(item)
    const view = this.#viewItem(item)
    const position = this.#position(item)
    const { output_index } = position
    const field = isCustom ? 'input' : 'arguments'
    const events = isCustom ? 'response.custom_tool_call_input' : 'response.function_call_arguments'
    const text = view[field] ?? ''
    this.#emitEvent('response.output_item.added', {
      output_index,
      item: { ...view, [field]: '', status: 'in_progress' },
    })
    this.#emitEvent(`${events}.delta`, { ...position, delta: text })
    this.#emitEvent(`${events}.done`, { ...position, ...(!isCustom && { name: view.name }), [field]: text })
    this.#emitEvent('response.output_item.done', { output_index, item: view })
  }

  readonly #asItem = (item: OutputItem): Item => ({
    id: item.id,
    content: this.#contentOf(item),
    signature: isCall(item) ? (item.call.signature ?? null) : null,
  })

  #viewItem(item: OutputItem): ItemView {
    return viewItem(this.#asItem(item))
  }

  #contentOf(item: OutputItem): ItemContent {
    if (isCall(item)) {
      const { call, type } = item
      const { isCustom, name, namespace } = this.#tools.toolOf(call)
      const sent = isCustom ? { input: customInput(call) } : { arguments: argumentsTextOf(call) }
      const called = { type, call_id: call.id, name, ...sent, status: 'completed' }
      return namespace === null ? called : { ...called, namespace }
    }
    const parts = item.text === '' ? [] : [this.#viewPart(item)]
    if (item.type === 'message')
      return { type: item.type, status: item.status, role: 'assistant', content: parts }
    return this.#summarizes
      ? { type: item.type, summary: parts }
      : { type: item.type, summary: [], content: parts }
  }

  #viewPart({ type, isRefusal, text, logprobs }: TextItem) {
    if (isRefusal) return { type: 'refusal', refusal: text }
    if (type === 'message')
      return { type: 'output_text', text, annotations: [], logprobs: logprobs.map(viewLogprob) }
    return { type: this.#summarizes ? 'summary_text' : 'reasoning_text', text }
  }

  /** Returns the part of an event's name that names the item's part. */
  #part({ type }: TextItem): string {
    return type === 'reasoning' && this.#summarizes ? 'reasoning_summary_part' : 'content_part'
  }

  #reasoningText(): string {
    return this.#summarizes ? 'reasoning_summary_text' : 'reasoning_text'
  }

  #position(item: OutputItem): { item_id: string; output_index: number } {
    return { item_id: nameOf(item.type, item.id), output_index: this.#items.indexOf(item) }
  }

  #partOf(item: TextItem) {
    const index = item.type === 'reasoning' && this.#summarizes ? 'summary_index' : 'content_index'
    return { ...this.#position(item), [index]: 0 }
  }

  #emitEvent(type: string, data: object): void {
    this.#emit({ type, ...data }, this.#events)
    this.#events += 1
  }

  #view(status: ResponseView['status'], outcome: Outcome | null): ResponseView {
    const output = this.#items.map((item) => this.#viewItem(item))
    return viewResponse(this.#body, { ...this.#frame, status, output, outcome })
  }
}

function statusOf({ failure, finishReason }: Outcome): ResponseView['status'] {
  if (failure) return 'failed'
  return finishReason === 'length' || finishReason === 'content_filter' ? 'incomplete' : 'completed'
}

const viewLogprob = ({ bytes, top_logprobs: top, ...token }: TokenLogprob) => ({
  ...token,
  bytes: bytes ?? [],
  top_logprobs: top.map(({ bytes, ...other }) => ({ ...other, bytes: bytes ?? [] })),
})
