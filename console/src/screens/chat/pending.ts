import type { ChatMessage } from '@parley/client/schemas'
import type { ChatData } from './chat-data.ts'
import type { LiveReply } from './live-reply.ts'

/**
 * Adds the messages that are not yet in the server's response. `leafId` is the last message of the visible branch.
 */
export function withPending(
  data: ChatData | undefined,
  live: LiveReply | null,
): { messages: readonly ChatMessage[]; leafId: string | null } {
  const stored = data?.messages ?? []
  if (!live) return { messages: stored, leafId: data?.chat.active_message_id ?? null }
  const replyId = live.messageId ?? `${live.key} reply`
  const questionId = live.userMessageId ?? `${live.key} question`
  const isKnown = (id: string) => stored.some((message) => message.id === id)
  const pending: ChatMessage[] = []
  if (live.message && !isKnown(questionId)) {
    const { content, uploads, parentId } = live.message.question
    pending.push({
      ...blank(live),
      id: questionId,
      parent_message_id: parentId,
      role: 'user',
      content,
      file_uploads: uploads,
    })
  }
  if (!isKnown(replyId))
    pending.push({
      ...blank(live),
      id: replyId,
      parent_message_id: questionId,
      status: 'streaming',
      model_id: live.modelId,
      agent_id: live.agentId,
    })
  return { messages: pending.length === 0 ? stored : [...stored, ...pending], leafId: replyId }
}

/** Returns whether the server has stored the message. The ids of messages that it has not stored contain a space. */
export const isStored = ({ id }: ChatMessage): boolean => !id.includes(' ')

const blank = (live: LiveReply): ChatMessage => ({
  id: '',
  chat_id: live.chatId ?? '',
  parent_message_id: null,
  role: 'assistant',
  content: '',
  reasoning: null,
  status: 'complete',
  error: null,
  error_code: null,
  error_values: null,
  finish_reason: null,
  model_id: null,
  agent_id: null,
  file_uploads: [],
  citations: [],
  tool_calls: [],
  media: [],
  usage: null,
  created_at: live.begunAt,
})
