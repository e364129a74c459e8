import { fail, sentence } from '#errors'
import { sign, signerOf } from '#platform/models/signatures.ts'
import { asArguments } from '#platform/models/tool-input.ts'
import type { ModelMessage, ThinkingBlock, ToolCall } from '#platform/models/types.ts'
import { joinVisible } from '../openai/index.ts'
import { BlockReader, type BlockServices, textOf } from './read-blocks.ts'
import type { Block, Message } from './schemas.ts'

/**
 * Converts the messages of a request. Instructions between a tool call and its result follow the result, because
 * providers take nothing between the two. Throws request.invalid.
 */
export async function readMessages(
  services: BlockServices,
  messages: readonly Message[],
): Promise<ModelMessage[]> {
  const blocks = new BlockReader(services)
  const names = new Map<string, string>()
  const read: ModelMessage[] = []
  let waiting: ModelMessage[] = []
  for (const [index, { role, content }] of withUserMessage(messages).entries()) {
    const at = `messages.${index}.content`
    if (role === 'system') {
      const text = typeof content === 'string' ? content : readInstructions(at, content)
      if (text.trim() !== '') waiting.push({ role, content: text })
      continue
    }
    const own =
      typeof content === 'string'
        ? [{ role, content }]
        : role === 'user'
          ? await readUserBlocks(blocks, names, at, content)
          : [readAssistantBlocks(names, at, content)]
    const results = own.filter((message) => message.role === 'tool')
    read.push(...results, ...waiting, ...own.slice(results.length))
    waiting = []
  }
  return [...read, ...waiting]
}

/** If a request has only instructions, the last one is the user's message. */
const withUserMessage = (messages: readonly Message[]): readonly Message[] =>
  messages.every(({ role }) => role === 'system')
    ? messages.map((message, index) =>
        index === messages.length - 1 ? { ...message, role: 'user' } : message,
      )
    : messages

/** Returns the text of instructions. Throws request.invalid for other blocks than text. */
function readInstructions(at: string, blocks: readonly Block[]): string {
  const texts = blocks.map((block, index) => {
    const { type } = block
    if (type !== 'text') throw refuse(sentence('anthropic.block_type', { field: `${at}.${index}`, type }))
    return textOf(`${at}.${index}`, block)
  })
  return joinVisible(texts)
}

/** Returns the results of tools, and then everything else, as a message of the user. */
async function readUserBlocks(
  reader: BlockReader,
  names: ReadonlyMap<string, string>,
  at: string,
  blocks: readonly Block[],
): Promise<ModelMessage[]> {
  const results: ModelMessage[] = []
  const parts = []
  for (const [index, block] of blocks.entries()) {
    const field = `${at}.${index}`
    if (block.type !== 'tool_result') {
      parts.push(...(await reader.read(field, block)))
      continue
    }
    const toolCallId = block.tool_use_id ?? ''
    const toolName = names.get(toolCallId)
    if (toolName === undefined) throw refuse(sentence('anthropic.tool_use_id', { field }))
    const { output, images } = await reader.readResult(field, block.content)
    results.push({ role: 'tool', toolCallId, toolName, output, ...(block.is_error && { isError: true }) })
    parts.push(...images)
  }
  return parts.length > 0 ? [...results, { role: 'user', content: parts }] : results
}

function readAssistantBlocks(names: Map<string, string>, at: string, blocks: readonly Block[]): ModelMessage {
  const texts: string[] = []
  const toolCalls: ToolCall[] = []
  const thoughts: ThinkingBlock[] = []
  /** The signature of the next call, from a provider other than Anthropic. */
  let signature: string | undefined
  for (const [index, block] of blocks.entries()) {
    const { type, thinking = '', data = '' } = block
    if (type === 'text') texts.push(textOf(`${at}.${index}`, block))
    else if (type === 'thinking') {
      if (block.signature && block.signature !== UNSIGNED)
        thoughts.push({ type, thinking, signature: block.signature })
    } else if (type === 'redacted_thinking') {
      const signer = signerOf(data)
      if (signer === undefined) thoughts.push({ type, data })
      else if (signer !== 'anthropic') signature = data
    } else if (type === 'tool_use') {
      const call = readCall(`${at}.${index}`, block)
      toolCalls.push(signature === undefined ? call : { ...call, signature })
      names.set(call.id, call.name)
      signature = undefined
    } else throw refuse(sentence('anthropic.block_type', { field: `${at}.${index}`, type }))
  }
  const [first] = toolCalls
  if (first && thoughts.length > 0) first.signature = sign('anthropic', JSON.stringify(thoughts))
  return { role: 'assistant', content: texts.join(''), ...(toolCalls.length > 0 && { toolCalls }) }
}

/** The signature of thinking that no request needs to return. Clients require one. */
export const UNSIGNED = 'unsigned'

function readCall(at: string, { id, name, input }: Block): ToolCall {
  for (const [field, value] of Object.entries({ id, name, input }))
    if (!value) throw refuse(sentence('anthropic.block_field', { field: `${at}.${field}` }))
  const read = asArguments(input)
  if (read === undefined) throw refuse(sentence('openai.arguments', { field: `${at}.input` }))
  return { id: id as string, name: name as string, input: read }
}

const refuse = (reason: string) => fail('request.invalid', { reason })
