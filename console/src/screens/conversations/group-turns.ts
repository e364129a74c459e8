import type { ConversationMessage } from '@parley/client/schemas'

/** A question with the replies of all models to it. */
export interface Turn {
  /** The id of the first message that contains the question. Each model has its own copy of the question. */
  id: string
  question: string
  replies: ConversationMessage[]
}

/**
 * Groups messages into turns. The messages must be sorted newest first. Skips a reply if its question is not loaded.
 */
export function turnsOf(messages: readonly ConversationMessage[]): Turn[] {
  const turns: Turn[] = []
  const questions = new Map(messages.map((message) => [message.id, message]))
  for (const message of messages.toReversed()) {
    const asked = message.role === 'assistant' && questions.get(message.parent_message_id ?? '')
    if (!asked) continue
    const last = turns.at(-1)
    const isOneMore =
      last?.question === asked.content && last.replies.every(({ model_id }) => model_id !== message.model_id)
    if (isOneMore) last.replies.push(message)
    else turns.push({ id: asked.id, question: asked.content, replies: [message] })
  }
  return turns
}
