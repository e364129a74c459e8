import { desc, eq } from '#database/drizzle.ts'
import { chatMessages, chats } from '#database/schema/chat.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { ScopedDatabase } from '#platform/access/scoped-database.ts'
import type { EventStream } from '#platform/http/define-route.ts'
import type { ChatDependencies } from './dependencies.ts'
import { deleteChats, findChat } from './manage-chats.ts'
import type { MessageRow } from './schemas.ts'
import { takeTurn } from './turn.ts'

/**
 * Stores the messages of conversations, for the conversation part. A conversation has a chat with the same id, so
 * that holds, storage, charges and recovery of replies are shared with chats. Lists of chats omit the chats of
 * conversations.
 */
export interface ConversationChats {
  /** Creates a conversation's chat in the transaction that creates the conversation. */
  add(database: Pick<ScopedDatabase, 'insert'>, conversationId: string, title: string): Promise<void>
  /**
   * Stores a message and streams a model's reply, including named events (`?events=all`). Throws the errors of
   * send_message.
   */
  send(
    scope: Scope<'conversation:write'>,
    to: { conversationId: string; sessionId: string; modelId: string },
    content: string,
    idempotencyKey: string | undefined,
  ): Promise<EventStream>
  /** Returns one page of messages, newest first, and the total number of messages. Throws chat.not_found. */
  messages(
    scope: Scope<'conversation:read'>,
    conversationId: string,
    page: { limit: number; offset: number },
  ): Promise<{ messages: MessageRow[]; total: number }>
  /** Stops the replies in progress. Throws chat.not_found, and chat.not_streaming if there are none. */
  stop(scope: Scope<'conversation:write'>, conversationId: string): Promise<void>
  /** Deletes a conversation and its chat. Returns false if the conversation doesn't exist. */
  delete(scope: Scope<'conversation:delete'>, conversationId: string): Promise<boolean>
}

/** In a conversation, each question has exactly one reply. */
const MESSAGES_PER_QUESTION = 2

export const conversationChats = (deps: ChatDependencies): ConversationChats => ({
  async add(database, conversationId, title) {
    await database.insert(chats, { id: conversationId, title, status: 'ACTIVE', isConversation: true })
  },
  send: (scope, { conversationId, sessionId, modelId }, content, idempotencyKey) =>
    takeTurn(
      deps,
      { scope, deployment: null },
      {
        query: {
          org_id: scope.organizationId,
          chat_id: conversationId,
          model_id: modelId,
          events: 'all',
        },
        question: { content },
        sessionId,
        idempotencyKey: idempotencyKey && `stream_chat ${idempotencyKey}`,
        named: true,
      },
    ),
  async messages(scope, conversationId, { limit, offset }) {
    const chat = await findChat(scope, conversationId, 'conversation')
    const messages = await scope.select(chatMessages, {
      where: eq(chatMessages.chatId, chat.id),
      orderBy: [desc(chatMessages.id)],
      limit,
      offset,
    })
    return { messages, total: chat.messageCount * MESSAGES_PER_QUESTION }
  },
  async stop(scope, conversationId) {
    const { organizationId } = scope
    const chat = await findChat(scope, conversationId, 'conversation')
    if (!(await deps.replies.stop({ organizationId, chatId: chat.id }))) throw fail('chat.not_streaming')
  },
  async delete(scope, conversationId) {
    const deleted = await deleteChats(deps.replies, scope, [conversationId], 'conversation')
    return deleted.length > 0
  },
})
