import { fail } from '#errors'
import {
  BYTES_PER_TOKEN,
  promptBytesOf,
  promptTokensOf,
  type Window,
} from '#platform/models/context-window.ts'
import { countTokens } from '#platform/models/index.ts'
import { type Attachment, attachmentsOf, isImage, readAttachments, withTexts } from './attachments.ts'
import type { OpenChat } from './chat-finder-system.ts'
import type { HistoryMessage, ReadHistoryPage } from './history-reader-system.ts'
import { readAllBranches, walkBranch } from './read-branch.ts'
import type { ChatWriter } from './schemas.ts'

/**
 * Maximum number of messages in a prompt, regardless of the context window.
 * @limit messages in a prompt
 */
const MESSAGES_MAX = 400
/** Overhead of each message in tokens, in addition to its text. */
const TOKENS_PER_MESSAGE = 8
/** Maximum share of the prompt for the attachments of one message. The rest is for the message itself. */
const ATTACHMENTS_SHARE = 0.5

/** A message for the model. The text includes the text of attached files. */
export interface PromptMessage {
  role: 'user' | 'assistant'
  text: string
  images: Attachment[]
}

export interface History {
  /** Messages in the prompt, oldest first. */
  messages: PromptMessage[]
  /** Number of messages that were read but don't fit. Still older messages may not have been read. */
  leftOut: number
  /** Id of the newest reply that was read, which becomes the parent of the new message. Null if there is none. */
  leafId: string | null
}

/**
 * Reads the newest messages that fit into the context window, from the branch that ends at `leafId` or from all rounds
 * of a conversation. Reserves space for `newText`, which is never truncated, and for `otherBytes` bytes of other
 * content. Throws chat.message_not_found, chat.parent_not_reply.
 */
export async function readHistory(
  readPage: ReadHistoryPage,
  scope: ChatWriter,
  { id: chatId, isConversation }: Pick<OpenChat, 'id' | 'isConversation'>,
  leafId: string | null,
  { newText, otherBytes, window }: { newText: string; otherBytes: number; window: Window },
): Promise<History> {
  const budget = promptTokensOf(window) - otherBytes / BYTES_PER_TOKEN
  let bytes = Buffer.byteLength(newText)
  // Stops at 8 bytes per token of the budget. Tokens rarely have more bytes, so older messages would not fit.
  const enough = (message: HistoryMessage): boolean => {
    bytes += Buffer.byteLength(message.content) + TOKENS_PER_MESSAGE
    return bytes > budget * 8
  }
  const readDown = (upTo: string) => readPage(scope, chatId, upTo)
  const branch = isConversation
    ? await readRounds(scope, chatId, MESSAGES_MAX, enough)
    : await walkBranch(readDown, leafId, MESSAGES_MAX, enough)
  if (leafId !== null && !isConversation) checkLeaf(branch[0], leafId)
  const attachments = await readAttachments(
    scope,
    branch.filter(({ role }) => role === 'user'),
  )
  const sendable = branch.map((message) => {
    // The model received the files of its own replies as outputs of tools, which later prompts don't contain.
    const files = message.role === 'user' ? attachmentsOf(message, attachments) : []
    return toPromptMessage(message, files, window)
  })
  const sent = sendable.reduce((sum, { text }) => sum + Buffer.byteLength(text) + TOKENS_PER_MESSAGE, 0)
  const fits = sent + Buffer.byteLength(newText) <= budget
  const fittingCount = beginningWithQuestion(
    sendable,
    fits ? sendable.length : await countFitting(sendable, newText, budget),
  )
  return {
    messages: sendable.slice(0, fittingCount).reverse(),
    leftOut: sendable.length - fittingCount,
    leafId: branch[0]?.id ?? null,
  }
}

/**
 * Reads the finished replies of a conversation, newest first, each followed by its question. Omits replies in
 * progress, which belong to other sessions.
 */
async function readRounds(
  scope: ChatWriter,
  chatId: string,
  count: number,
  enough: (message: HistoryMessage) => boolean,
): Promise<HistoryMessage[]> {
  const messages = await readAllBranches(scope, chatId, null, count, enough)
  const questions = new Map(messages.map((message) => [message.id, message]))
  return messages.flatMap((reply) => {
    if (reply.role !== 'assistant' || reply.status === 'streaming' || reply.parentMessageId === null)
      return []
    const question = questions.get(reply.parentMessageId)
    return question ? [reply, question] : []
  })
}

/**
 * Checks that the new message's parent is a reply of this chat. Throws chat.message_not_found, chat.parent_not_reply.
 */
function checkLeaf(leaf: HistoryMessage | undefined, id: string): void {
  if (!leaf) throw fail('chat.message_not_found', { value: id })
  if (leaf.role !== 'assistant') throw fail('chat.parent_not_reply')
}

export const toPromptMessage = (
  { role, content }: Pick<HistoryMessage, 'role' | 'content'>,
  attachments: Attachment[],
  window: Window,
): PromptMessage => ({
  role,
  text:
    attachments.length === 0
      ? content
      : withTexts(content, attachments, promptBytesOf(window) * ATTACHMENTS_SHARE),
  images: attachments.filter(isImage),
})

/** Returns the number of newest messages up to `count` whose oldest is a question, as many templates demand. */
function beginningWithQuestion(messages: readonly PromptMessage[], count: number): number {
  return messages.findLastIndex(({ role }, index) => index < count && role === 'user') + 1
}

/** Returns how many messages fit into the token budget together with the new text. Counts from the newest message. */
async function countFitting(messages: PromptMessage[], newText: string, budget: number): Promise<number> {
  let tokens = await countTokens(newText)
  for (const [index, message] of messages.entries()) {
    tokens += (await countTokens(message.text)) + TOKENS_PER_MESSAGE
    if (tokens > budget) return index
  }
  return messages.length
}
