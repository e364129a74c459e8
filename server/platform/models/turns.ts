import type { ModelMessage } from './types.ts'

export type ToolResult = Extract<ModelMessage, { role: 'tool' }>

/** A message, or the results of tools that were called at once. */
export type Turn = Exclude<ModelMessage, ToolResult> | ToolResult[]

/**
 * Messages as Anthropic and Gemini want them: the results of several calls stand in one turn, as many as there were
 * calls, and no turn is empty (a reply that was stopped before its first word is).
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
