import type { ChatMessage } from '@parley/client/schemas'

/** The visible part of a chat: one path through its message tree. */
export interface Branch {
  /** The messages on the path, oldest first. */
  messages: ChatMessage[]
  /** Whether the path has older messages that are not loaded yet. */
  goesOn: boolean
}

/**
 * Returns the path that ends at a leaf. The path starts at the root or, if that is not loaded, at the oldest loaded
 * message.
 */
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

/**
 * Groups messages by their parent's id, which is null for the first message of a chat. Keeps the order of the
 * messages.
 */
export function siblingsOf(messages: readonly ChatMessage[]): Map<string | null, ChatMessage[]> {
  const siblings = new Map<string | null, ChatMessage[]>()
  for (const message of messages) {
    const beside = siblings.get(message.parent_message_id)
    if (beside) beside.push(message)
    else siblings.set(message.parent_message_id, [message])
  }
  return siblings
}

/** Returns the id of the newest reply among a message and its descendants. Returns null if there is no reply. */
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
