import type { ConversationMessage } from '@parley/client/schemas'

/** A question and the replies of all models that were asked together. */
export interface Turn {
  /** The id of the question's first message. */
  id: string
  question: string
  replies: ConversationMessage[]
}

/** Groups messages, given newest first, into turns. Skips replies whose question is on a page that is not loaded. */
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
