import { promptBytesOf } from '#platform/models/context-window.ts'
import { promptText } from '#platform/models/payable-usage.ts'
import type { ModelMessage, ModelRequest, ToolDefinition } from '#platform/models/types.ts'
import type { Exchange } from './memory.ts'

export interface PromptParts {
  system: string
  /** Material that precedes the question in the user message. It must not contain instructions, and may be empty. */
  material: string
  question: string
  remembered: readonly Exchange[]
  tools: readonly ToolDefinition[]
}

/** Builds the model request, with the newest remembered exchanges that fit into the context window. */
export function writePrompt(
  { contextWindow }: { contextWindow: number },
  { system, material, question, remembered, tools }: PromptParts,
): ModelRequest {
  const questionMessage: ModelMessage = {
    role: 'user',
    content: material === '' ? question : `${material}\n\n${question}`,
  }
  const fixed = promptText({ system, messages: [questionMessage], tools: [...tools] })
  let bytesLeft = promptBytesOf({ contextWindow, maxTokens: undefined }) - Buffer.byteLength(fixed)
  const fitting = remembered.toReversed().findIndex((exchange) => {
    bytesLeft -= Buffer.byteLength(exchange.question) + Buffer.byteLength(exchange.answer)
    return bytesLeft < 0
  })
  const recent = fitting < 0 ? remembered : remembered.slice(remembered.length - fitting)
  return { system, messages: [...recent.flatMap(messagesOf), questionMessage] }
}

const messagesOf = ({ question, answer }: Exchange): ModelMessage[] => [
  { role: 'user', content: question },
  { role: 'assistant', content: answer },
]
