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

/** Maximum number of messages in a prompt, whatever the context window. */
const MESSAGES_MAX = 400
/** Overhead of a message in tokens, in addition to its text. */
const TOKENS_PER_MESSAGE = 8
/** Share of the prompt that attachments of one message may take; the rest is for the message itself. */
const ATTACHMENTS_SHARE = 0.5

/** A message for the model: its text, including attached texts, and its images. */
export interface PromptMessage {
  role: 'user' | 'assistant'
  text: string
  images: Attachment[]
}

export interface History {
  /** Oldest first. */
  messages: PromptMessage[]
  /** Number of messages that were read but left out; there may be older unread ones. */
  leftOut: number
  /** The newest reply read, which the new message follows; null if there is none. */
  leafId: string | null
}

/**
 * Reads the messages for the prompt: the branch that ends at `leafId`, or all rounds of a conversation, as far
 * back as they fit into the context window. The new message is always sent whole; `otherBytes` are reserved too.
 * Throws chat.message_not_found, chat.parent_not_reply.
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
  // A token has at least one byte and rarely more than eight, so older messages cannot fit.
  const enough = (message: HistoryMessage): boolean => {
    bytes += Buffer.byteLength(message.content) + TOKENS_PER_MESSAGE
    return bytes > budget * 8
  }
  const readDown = (upTo: string) => readPage(scope, chatId, upTo)
  const branch = isConversation
    ? await readRounds(scope, chatId, MESSAGES_MAX, enough)
    : await walkBranch(readDown, leafId, MESSAGES_MAX, enough)
  if (leafId !== null && !isConversation) checkLeaf(branch[0])
  const attachments = await readAttachments(scope, branch)
  const sendable = branch
    .filter((message) => message.content !== '')
    .map((message) => toPromptMessage(message, attachmentsOf(message, attachments), window))
  const sent = sendable.reduce((sum, { text }) => sum + Buffer.byteLength(text) + TOKENS_PER_MESSAGE, 0)
  const fits = sent + Buffer.byteLength(newText) <= budget
  const fittingCount = fits ? sendable.length : await countFitting(sendable, newText, budget)
  return {
    messages: sendable.slice(0, fittingCount).reverse(),
    leftOut: sendable.length - fittingCount,
    leafId: branch[0]?.id ?? null,
  }
}

/**
 * Reads the ended replies of a conversation, newest first, each followed by its question. Replies in progress
 * belong to other sessions and are left out.
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
 * Checks that the new message follows a reply of this chat. Throws chat.message_not_found, chat.parent_not_reply.
 */
function checkLeaf(leaf: HistoryMessage | undefined): void {
  if (!leaf) throw fail('chat.message_not_found')
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

/** Counts how many messages, newest first, fit into the token budget with the new text. */
async function countFitting(messages: PromptMessage[], newText: string, budget: number): Promise<number> {
  let tokens = await countTokens(newText)
  for (const [index, message] of messages.entries()) {
    tokens += (await countTokens(message.text)) + TOKENS_PER_MESSAGE
    if (tokens > budget) return index
  }
  return messages.length
}
