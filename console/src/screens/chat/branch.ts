import type { ChatMessage } from '@parley/client/schemas'

/** What is shown of a chat: one way through its messages, and what else there is at each fork. */
export interface Branch {
  /** Oldest first. */
  messages: ChatMessage[]
  /** Its beginning is not loaded yet. */
  goesOn: boolean
}

/** The way from a leaf back along the parents, as far as the messages (of all branches) are there. */
export function branchOf(messages: readonly ChatMessage[], leafId: string | null): Branch {
  const known = new Map(messages.map((message) => [message.id, message]))
  const way: ChatMessage[] = []
  let next = leafId
  while (next !== null) {
    const message = known.get(next)
    if (!message) break
    way.push(message)
    next = message.parent_message_id
  }
  return { messages: way.reverse(), goesOn: next !== null }
}

/** By the message that they follow (null: the beginning of the chat): the messages beside each other, oldest first. */
export function siblingsOf(messages: readonly ChatMessage[]): Map<string | null, ChatMessage[]> {
  const siblings = new Map<string | null, ChatMessage[]>()
  for (const message of messages) {
    const beside = siblings.get(message.parent_message_id)
    if (beside) beside.push(message)
    else siblings.set(message.parent_message_id, [message])
  }
  return siblings
}

/** The newest reply below a message, or itself: where the branch ends that somebody goes to. */
export function newestLeafBelow(messages: readonly ChatMessage[], messageId: string): string | null {
  const below = new Set([messageId])
  let leaf: ChatMessage | undefined
  for (const message of messages) {
    if (message.id !== messageId && !below.has(message.parent_message_id ?? '')) continue
    below.add(message.id)
    if (message.role === 'assistant') leaf = message
  }
  return leaf?.id ?? null
}
