import { newId } from '#database/new-id.ts'
import { fail } from '#errors'
import type { OpenChat } from './chat-finder-system.ts'
import { findMessage } from './manage-chats.ts'
import type { ChatWriter, NewMessage } from './schemas.ts'

/** A new message, or an existing message that needs another reply. */
export type Question = NewMessage | { again: string; thinking?: boolean; knowledge_base_ids?: string[] }

/** Position of a reply in the chat's tree: the user's message, and the parent of that message. */
export interface ReplyPosition {
  parentId: string | null
  userMessageId: string
  isNewMessage: boolean
  content: string
  uploadIds: string[] | null
}

/**
 * Finds the position of a reply. Throws chat.not_found and chat.message_not_found. Doesn't check that the parent of a
 * new message is a reply of this chat; history.ts does.
 */
export async function findReplyPosition(
  scope: ChatWriter,
  chat: OpenChat | null,
  question: Question,
): Promise<ReplyPosition> {
  if ('again' in question) {
    if (!chat) throw fail('chat.not_found', { field: 'message_id', value: question.again })
    const message = await findMessage(scope, chat.id, question.again)
    // If `again` is the id of a reply, uses the message that the reply answers.
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
  if (parent && !chat) throw fail('chat.message_not_found', { value: parent })
  return { ...own, parentId: parent === undefined ? (chat?.leafMessageId ?? null) : parent }
}
