import { and, desc, eq, lte } from '#database/drizzle.ts'
import { chatMessages } from '#database/schema/chat.ts'
import type { ChatReader, MessageRow } from './schemas.ts'

const PAGE = 50

/**
 * The messages from `from` back along their parents, newest first: a branch of the chat. Ends at `count` messages,
 * at the root, or after the message for which `enough` says so.
 */
export async function readBranch(
  scope: ChatReader,
  chatId: string,
  from: string | null,
  count: number,
  enough: (message: MessageRow) => boolean = () => false,
): Promise<MessageRow[]> {
  const branch: MessageRow[] = []
  let next = from
  while (next !== null && branch.length < count) {
    const found = branch.length
    const page = await scope.select(chatMessages, {
      where: and(eq(chatMessages.chatId, chatId), lte(chatMessages.id, next)),
      orderBy: [desc(chatMessages.id)],
      limit: PAGE,
    })
    for (const message of page) {
      if (message.id !== next || branch.length === count) continue
      branch.push(message)
      next = enough(message) ? null : message.parentMessageId
    }
    if (branch.length === found) break
  }
  return branch
}
