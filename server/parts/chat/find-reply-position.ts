import { newId } from '#database/new-id.ts'
import { fail } from '#errors'
import type { OpenChat } from './chat-finder-system.ts'
import { findMessage } from './manage-chats.ts'
import type { ChatWriter, NewMessage } from './schemas.ts'

/** What is to be answered: a message that comes now, or one that is there, anew. */
export type Question = NewMessage | { again: string; thinking?: boolean; knowledge_base_ids?: string[] }

/** Where in the chat a reply goes: under which message of the user, and what that follows. */
export interface ReplyPosition {
  parentId: string | null
  userMessageId: string
  isNewMessage: boolean
  content: string
  uploadIds: string[] | null
}

/**
 * Where the answer to a question goes. Throws chat.message_not_found. That the parent is a reply of this chat is seen
 * when the history is read from there (history.ts).
 */
export async function findReplyPosition(
  scope: ChatWriter,
  chat: OpenChat | null,
  question: Question,
): Promise<ReplyPosition> {
  if ('again' in question) {
    if (!chat) throw fail('chat.not_found')
    const message = await findMessage(scope, chat.id, question.again)
    // A reply stands for the message that it answers.
    if (message.role === 'assistant' && message.parentMessageId !== null)
      return findReplyPosition(scope, chat, { again: message.parentMessageId })
    const { parentMessageId, id, content, uploadIds } = message
    return { parentId: parentMessageId, userMessageId: id, isNewMessage: false, content, uploadIds }
  }
  const { content, parent_message_id: parent, file_uploads: uploadIds = [] } = question
  const own = {
    userMessageId: newId(),
    isNewMessage: true,
    content,
    uploadIds: uploadIds.length > 0 ? [...new Set(uploadIds)] : null,
  }
  if (parent && !chat) throw fail('chat.message_not_found')
  return { ...own, parentId: parent === undefined ? (chat?.leafMessageId ?? null) : parent }
}
