import { newId, UUID } from '#database/new-id.ts'
import type { ResponseItem } from './schemas.ts'

export type ItemContent = ResponseItem & { status?: string; summary?: object[] }

/** An item in OpenAI's format. */
export type ItemView = ItemContent & { id: string; type: string }

/** An item of a conversation: a message, a function call, its output, reasoning, or a compaction. */
export interface Item {
  id: string
  content: ItemContent
  /** Opaque data that the provider requires with a function call in the next request. */
  signature: string | null
}

/** Returns the item with a new id, to be stored once more. */
export const copyOf = (item: Item): Item => ({ ...item, id: newId() })

const PREFIXES = {
  message: 'msg',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  reasoning: 'rs',
  compaction: 'cmp',
  conversation: 'conv',
} as const

/** Returns whether items of this type are supported. */
export const isItemType = (type: string): boolean => Object.hasOwn(PREFIXES, type) && type !== 'conversation'

/** Returns a new item from a client's input. The id of the client is replaced, because it may be taken. */
export const newItem = ({ id: _id, ...content }: ResponseItem): Item => ({
  id: newId(),
  content: { type: 'message', ...content },
  signature: null,
})

/** Returns an id in OpenAI's format, such as `msg_…`. `type` is that of the item, or `conversation`. */
export const nameOf = (type: string, id: string): string => `${PREFIXES[type as keyof typeof PREFIXES]}_${id}`

/** Returns an item in OpenAI's format. A text as content becomes a part. */
export function viewItem({ id, content: item }: Pick<Item, 'id' | 'content'>): ItemView {
  const { type = 'message', role, content } = item
  const view = { ...item, type, id: nameOf(type, id) }
  if (type !== 'message') return view
  const textPart =
    role === 'assistant'
      ? (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] })
      : (text: string) => ({ type: 'input_text', text })
  return {
    ...view,
    status: item.status ?? 'completed',
    content: typeof content === 'string' ? [textPart(content)] : (content ?? []),
  }
}

/** Returns the UUID in an id such as `resp_…`, or null if it contains none. */
export function uuidIn(id: string): string | null {
  const uuid = id.slice(id.indexOf('_') + 1)
  return UUID.test(uuid) ? uuid.toLowerCase() : null
}
