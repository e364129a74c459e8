import { fail, sentence } from '#errors'
import type { ModelMessage, ModelRequest, ToolCall } from '#platform/models/types.ts'
import type { Net } from '#platform/net/index.ts'
import { IMAGES_MAX, readEffort, readFormat, readHints, readRarer, readSampling } from '../chat-request.ts'
import { readCall } from '../chat-tools.ts'
import type { ClientTools } from '../client-tools.ts'
import { customArguments } from '../custom-tools.ts'
import { joinVisible, plainText, readContent } from '../read-content.ts'
import { newImageBudget } from '../read-image.ts'
import { readExtra } from '../review-parameters.ts'
import type { PlacedItem } from './read-input.ts'
import { type ResponseItem, type ResponsePart, ResponseRequest } from './schemas.ts'

interface ReadingContext {
  net: Net
  /** Decrypts the summary of a `compaction`. `at` is its place in the request. */
  openCompaction(item: ResponseItem, at: string): string
  tools: ClientTools
}

/** Introduces the summary of a `compaction`. */
const SUMMARY = 'Summary of the conversation so far:'

/** Converts a Responses request, whose input is `items`, to a model request. Throws request.invalid. */
export async function readResponseRequest(
  context: ReadingContext,
  body: Omit<ResponseRequest, 'input'>,
  items: readonly PlacedItem[],
): Promise<ModelRequest> {
  const { instructions, max_output_tokens: maxTokens } = body
  const instructionTexts = items
    .filter(({ content }) => isInstruction(content))
    .map(({ content }) => plainText(content.content))
  const system = [...(instructions ? [instructions] : []), ...instructionTexts]
  return {
    ...(system.length > 0 && { system: joinVisible(system) }),
    messages: await readItems(context, items),
    ...context.tools.read(),
    ...readSampling(body),
    ...(maxTokens && { maxTokens, maxTokensIncludeThinking: true }),
    ...readFormat(body.text?.format),
    ...readEffort(body.reasoning?.effort),
    ...readRarer(body),
    ...readLogprobs(body),
    ...(body.text?.verbosity && { verbosity: body.text.verbosity }),
    ...readHints(body),
    ...readExtra(ResponseRequest, body),
  }
}

function readLogprobs({ top_logprobs: count, include }: Pick<ResponseRequest, 'top_logprobs' | 'include'>) {
  const isRequested = Boolean(count) || include?.includes('message.output_text.logprobs')
  return isRequested ? { logprobs: count ?? 0 } : {}
}

const isInstruction = ({ type, role }: ResponseItem): boolean =>
  type === 'message' && (role === 'system' || role === 'developer')

async function readItems(
  { net, openCompaction, tools }: ReadingContext,
  items: readonly PlacedItem[],
): Promise<ModelMessage[]> {
  const images = items
    .flatMap(({ content: { content } }) => (Array.isArray(content) ? content : []))
    .filter(isImage)
  if (images.length > IMAGES_MAX) throw refuse(sentence('openai.images_max', { limit: IMAGES_MAX }))
  const names = new Map<string, string>()
  const budget = newImageBudget()
  const read: ModelMessage[] = []
  for (const { at, content: item, signature } of items) {
    if (isInstruction(item) || item.type === 'reasoning') continue
    if (item.type === 'function_call' || item.type === 'custom_tool_call') {
      const call = readItemCall(tools, at, item)
      names.set(call.id, call.name)
      addCall(read, { ...call, ...(signature !== null && { signature }) })
    } else if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output') {
      const toolName = names.get(item.call_id ?? '')
      if (toolName === undefined) throw refuse(sentence('openai.call_id', { field: at }))
      read.push({
        role: 'tool',
        toolCallId: item.call_id ?? '',
        toolName,
        output: plainText(item.output),
      })
    } else if (item.type === 'compaction') {
      read.push({ role: 'user', content: `${SUMMARY}\n\n${openCompaction(item, at)}` })
    } else if (item.role === 'assistant') {
      read.push({ role: 'assistant', content: plainText(item.content) })
    } else read.push({ role: 'user', content: await readContent(net, budget, at, item.content, PARTS) })
  }
  if (read.length === 0) throw refuse(sentence('openai.no_user_message', { field: 'input' }))
  return read
}

/** Returns the call of the function that stands for the client's tool. */
function readItemCall(tools: ClientTools, at: string, item: ResponseItem): ToolCall {
  const { call_id: id = '', name: own = '', arguments: text = '' } = item
  if (id === '' || own === '') throw refuse(sentence('openai.call_fields', { field: at }))
  const name = tools.offeredName(item) ?? own
  return item.type === 'custom_tool_call'
    ? { id, name, input: customArguments(item.input ?? '') }
    : readCall(id, { name, arguments: text })
}

/** Adds a tool call. If the last message is from the assistant, the call is added to it, or else to a new message. */
function addCall(read: ModelMessage[], call: ToolCall): void {
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
