import { fail, sentence } from '#errors'
import type { ModelMessage, ModelRequest, ToolCall } from '#platform/models/types.ts'
import type { Net } from '#platform/net/index.ts'
import {
  IMAGES_MAX,
  readCall,
  readChoice,
  readEffort,
  readFormat,
  readSampling,
  readTool,
} from './chat-request.ts'
import { plainText, readContent } from './read-content.ts'
import { newImageBudget } from './read-image.ts'
import { refuseFields } from './refused-fields.ts'
import type { ResponseItem, ResponsePart, ResponseRequest } from './response-schemas.ts'

/** Converts a Responses request to a model request. Throws request.invalid. */
export async function readResponseRequest(net: Net, body: ResponseRequest): Promise<ModelRequest> {
  refuseFields(body)
  const { input, instructions, tools, tool_choice: choice, max_output_tokens: maxTokens } = body
  const items = typeof input === 'string' ? [{ role: 'user' as const, content: input }] : input
  const instructionTexts = items.filter(isInstruction).map(({ content }) => plainText(content))
  const system = [...(instructions ? [instructions] : []), ...instructionTexts]
  return {
    ...(system.length > 0 && { system: system.join('\n\n') }),
    messages: await readItems(net, items),
    ...(tools?.length && { tools: tools.map(readTool) }),
    ...readChoice(choice, tools ?? []),
    ...readSampling(body),
    ...(maxTokens && { maxTokens }),
    ...readFormat(body.text?.format),
    ...readEffort(body.reasoning?.effort),
  }
}

const isInstruction = ({ type = 'message', role }: ResponseItem): boolean =>
  type === 'message' && (role === 'system' || role === 'developer')

async function readItems(net: Net, items: readonly ResponseItem[]): Promise<ModelMessage[]> {
  const images = items.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter(isImage)
  if (images.length > IMAGES_MAX) throw refuse(sentence('openai.images_max', { limit: IMAGES_MAX }))
  const names = new Map<string, string>()
  const budget = newImageBudget()
  const read: ModelMessage[] = []
  for (const [index, item] of items.entries()) {
    const at = `input.${index}`
    if (isInstruction(item) || item.type === 'reasoning') continue
    if (item.type === 'function_call') addCall(read, names, at, item)
    else if (item.type === 'function_call_output') {
      const toolName = names.get(item.call_id ?? '')
      if (toolName === undefined) throw refuse(sentence('openai.call_id', { field: at }))
      read.push({
        role: 'tool',
        toolCallId: item.call_id ?? '',
        toolName,
        output: plainText(item.output),
      })
    } else if (item.role === 'assistant') {
      read.push({ role: 'assistant', content: plainText(item.content) })
    } else if (item.role === 'user') {
      read.push({ role: 'user', content: await readContent(net, budget, at, item.content, PARTS) })
    } else throw refuse(sentence('openai.item_type', { field: at, type: item.type ?? 'message' }))
  }
  if (read.length === 0) throw refuse(sentence('openai.no_user_message', { field: 'input' }))
  return read
}

/** Adds a tool call. If the last message is from the assistant, the call is added to it, or else to a new message. */
function addCall(read: ModelMessage[], names: Map<string, string>, at: string, item: ResponseItem): void {
  const { call_id: id = '', name = '', arguments: text = '' } = item
  if (id === '' || name === '') throw refuse(sentence('openai.call_fields', { field: at }))
  const call: ToolCall = readCall(at, id, { name, arguments: text })
  names.set(id, name)
  const last = read.at(-1)
  if (last?.role === 'assistant') last.toolCalls = [...(last.toolCalls ?? []), call]
  else read.push({ role: 'assistant', content: '', toolCalls: [call] })
}

const isImage = ({ type }: { type: string }): boolean => type === 'input_image'

const PARTS = {
  textType: 'input_text',
  taken: 'input_text and input_image with an image_url',
  imageUrlOf: (part: ResponsePart) => (isImage(part) ? part.image_url || null : null),
}

const refuse = (reason: string) => fail('request.invalid', { reason })
