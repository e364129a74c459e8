import type { ModelMessage } from './types.ts'

export type ToolResult = Extract<ModelMessage, { role: 'tool' }>

/** A message, or the results of parallel tool calls. */
export type Turn = Exclude<ModelMessage, ToolResult> | ToolResult[]

/**
 * Groups messages as Anthropic and Gemini require: the results of parallel calls form one turn, and empty messages
 * are dropped. A reply that was stopped before its first word is an empty message.
 */
export function turnsOf(messages: readonly ModelMessage[]): Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (message.role !== 'tool') {
      if (!isEmpty(message)) turns.push(message)
    } else if (Array.isArray(last)) last.push(message)
    else turns.push([message])
  }
  return turns
}

const isEmpty = (message: Exclude<ModelMessage, ToolResult>): boolean =>
  message.content.length === 0 && !(message.role === 'assistant' && message.toolCalls?.length)
