import { countTokens } from '#platform/models/index.ts'
import type { ModelMessage } from '#platform/models/types.ts'
import { readBranch } from './read-branch.ts'
import type { ChatWriter, MessageRow } from './schemas.ts'

/** No more than so many messages are sent to a model, whatever its context window. */
const MESSAGES_MAX = 400
/** Room that is kept for the reply where the request names no max_tokens: a quarter of the window, at most this. */
const REPLY_TOKENS_MAX = 8_192
/** What a message costs beside its text, in tokens. */
const TOKENS_PER_MESSAGE = 8

export interface History {
  messages: ModelMessage[]
  /** Messages of the chat that were read and left out; there may be older ones. */
  leftOut: number
}

export interface Window {
  /** Tokens of prompt and reply together. */
  contextWindow: number
  maxTokens: number | undefined
}

/**
 * What the model is to see of a chat: the branch that ends at `leafId`, as far back as fits into the context window
 * together with the new message, which is always sent whole.
 */
export async function readHistory(
  scope: ChatWriter,
  chatId: string,
  leafId: string | null,
  { newText, window }: { newText: string; window: Window },
): Promise<History> {
  const budget = budgetOf(window)
  let bytes = Buffer.byteLength(newText)
  // A token is at least one byte, and seldom more than eight: what is beyond that can't fit.
  const branch = await readBranch(scope, chatId, leafId, MESSAGES_MAX, (message) => {
    bytes += Buffer.byteLength(message.content) + TOKENS_PER_MESSAGE
    return bytes > budget * 8
  })
  const sendable = branch.filter((message) => message.content !== '')
  const kept = bytes <= budget ? sendable.length : await countFitting(sendable, newText, budget)
  return { messages: sendable.slice(0, kept).reverse().map(toModelMessage), leftOut: sendable.length - kept }
}

function budgetOf({ contextWindow, maxTokens }: Window): number {
  const reply = maxTokens ?? Math.min(REPLY_TOKENS_MAX, contextWindow / 4)
  return Math.max(0, contextWindow - Math.min(reply, contextWindow / 2))
}

/** How many of the messages, newest first, fit into the budget of tokens beside the new text. */
async function countFitting(messages: MessageRow[], newText: string, budget: number): Promise<number> {
  let tokens = await countTokens(newText)
  for (const [index, message] of messages.entries()) {
    tokens += (await countTokens(message.content)) + TOKENS_PER_MESSAGE
    if (tokens > budget) return index
  }
  return messages.length
}

const toModelMessage = ({ role, content }: MessageRow): ModelMessage => ({ role, content })
