import type { ChatMessage } from '@parley/client/schemas'

/** The part of a chat on screen: one path through its message tree. */
export interface Branch {
  /** Oldest first. */
  messages: ChatMessage[]
  /** The chat has older messages on this path that are not loaded yet. */
  goesOn: boolean
}

/** Returns the path from a leaf back to the root, or to the oldest message that is loaded. */
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

/** Groups messages by parent (null at the start of the chat). Each group is oldest first. */
export function siblingsOf(messages: readonly ChatMessage[]): Map<string | null, ChatMessage[]> {
  const siblings = new Map<string | null, ChatMessage[]>()
  for (const message of messages) {
    const beside = siblings.get(message.parent_message_id)
    if (beside) beside.push(message)
    else siblings.set(message.parent_message_id, [message])
  }
  return siblings
}

/** Returns the newest reply below a message, or the message itself if it is a reply: the leaf of its branch. */
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
