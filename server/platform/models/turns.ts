import { isBlank } from '../http/visible-text.ts'
import { foldSystem } from './fold-system.ts'
import type { ContentPart, ModelMessage, ModelRequest } from './types.ts'

export type ToolResult = Extract<ModelMessage, { role: 'tool' }>
type UserMessage = Extract<ModelMessage, { role: 'user' }>
type Reply = Extract<ModelMessage, { role: 'assistant' }>

/** A message, or the results of parallel tool calls. */
export type Turn = SpokenTurn | ToolResult[]

type SpokenTurn = Exclude<ModelMessage, { role: 'tool' | 'system' }>

/**
 * Groups messages as Anthropic and Gemini require: the results of parallel calls form one turn, and instructions within
 * the conversation become a part of the user's turns.
 */
export function turnsOf(messages: readonly ModelMessage[]): Turn[] {
  const turns: Turn[] = []
  for (const message of foldSystem(messages)) {
    const last = turns.at(-1)
    if (message.role === 'system') continue
    if (message.role !== 'tool') turns.push(message)
    else if (Array.isArray(last)) last.push(message)
    else turns.push([message])
  }
  return turns
}

/** Stands for a blank message of the user, where a request needs one. */
const NO_TEXT = '(empty message)'

/**
 * Returns the request as strict providers and templates accept it. Blank text is left out, with the messages that
 * contain nothing else, such as a reply that failed before its first word. Messages of the same role between which one
 * was left out become one, because many templates demand that the roles alternate. Other messages stay as they were sent.
 */
export function withValidTurns(request: ModelRequest): ModelRequest {
  const { system, ...rest } = request
  const messages = alternating(request.messages)
  const hasSystem = system !== undefined && !isBlank(system)
  return { ...rest, messages, ...(hasSystem && { system }) }
}

function alternating(given: readonly ModelMessage[]): ModelMessage[] {
  const messages: ModelMessage[] = []
  let isAfterGap = false
  for (const one of given) {
    const message = withoutBlanks(one)
    const last = messages.at(-1)
    const joined = message && last && isAfterGap ? joinedTo(last, message) : undefined
    isAfterGap = message === null
    if (joined) messages[messages.length - 1] = joined
    else if (message) messages.push(message)
  }
  const placeholder: ModelMessage = { role: 'user', content: NO_TEXT }
  // A blank question was left out. The model must not continue its own reply, or begin the conversation.
  const hasLostStart = messages.length === 0 || (given[0]?.role === 'user' && messages[0]?.role !== 'user')
  if (hasLostStart) messages.unshift(placeholder)
  if (given.at(-1)?.role === 'user' && messages.at(-1)?.role === 'assistant') messages.push(placeholder)
  return messages
}

/** Returns the message without blank text. Returns null if it contains nothing else. */
function withoutBlanks(message: ModelMessage): ModelMessage | null {
  if (message.role === 'tool') return message
  if (message.role === 'system') return isBlank(message.content) ? null : message
  if (message.role === 'assistant') {
    if (!isBlank(message.content)) return message
    return message.toolCalls?.length ? { ...message, content: '' } : null
  }
  const { content } = message
  if (typeof content === 'string') return isBlank(content) ? null : message
  const parts = content.filter((part) => part.type !== 'text' || !isBlank(part.text))
  if (parts.length === 0) return null
  return parts.length === content.length ? message : { ...message, content: parts }
}

/** Returns both messages as one, or undefined if they are different turns. */
function joinedTo(last: ModelMessage, message: ModelMessage): ModelMessage | undefined {
  if (last.role === 'user' && message.role === 'user') return joinUsers(last, message)
  if (last.role === 'assistant' && message.role === 'assistant' && !last.toolCalls?.length)
    return joinReplies(last, message)
  return undefined
}

function joinUsers(last: UserMessage, message: UserMessage): UserMessage {
  if (typeof last.content === 'string' && typeof message.content === 'string')
    return { ...message, content: `${last.content}\n\n${message.content}` }
  return { ...message, content: [...partsOf(last.content), ...partsOf(message.content)] }
}

const joinReplies = (last: Reply, message: Reply): Reply => ({
  ...message,
  content: [last.content, message.content].filter((text) => text !== '').join('\n\n'),
})

const partsOf = (content: string | ContentPart[]): ContentPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content
