import type { ContentPart, ModelMessage } from './types.ts'

/**
 * Moves instructions within the conversation into the user's turns, for APIs that take none there: each into the next
 * message of the user, and those after the last one to its end. The results of tools stay directly behind their calls.
 */
export function foldSystem(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  if (!messages.some(({ role }) => role === 'system')) return messages
  const folded: ModelMessage[] = []
  let waiting: ContentPart[] = []
  for (const [index, message] of messages.entries()) {
    const isResult = message.role === 'tool' && messages[index + 1]?.role !== 'tool'
    if (message.role === 'system') {
      if (message.content.trim() !== '') waiting.push({ type: 'text', text: message.content })
    } else if (message.role === 'user') {
      folded.push({ role: 'user', content: [...waiting, ...partsOf(message.content)] })
      waiting = []
    } else folded.push(message)
    // The results of tools are a turn of the user, unless more of it follows.
    if (isResult && waiting.length > 0 && !followsUser(messages, index + 1)) {
      folded.push({ role: 'user', content: waiting })
      waiting = []
    }
  }
  return waiting.length === 0 ? folded : withLast(folded, waiting)
}

/** Returns whether the next message, apart from instructions, is the user's. */
const followsUser = (messages: readonly ModelMessage[], start: number): boolean =>
  messages.slice(start).find(({ role }) => role !== 'system')?.role === 'user'

/** Adds parts to the last turn of the user. */
function withLast(messages: readonly ModelMessage[], parts: readonly ContentPart[]): ModelMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'user' || role === 'tool')
  const turn = messages[last]
  const before = messages.slice(0, turn?.role === 'user' ? last : last + 1)
  const own = turn?.role === 'user' ? partsOf(turn.content) : []
  return [...before, { role: 'user', content: [...own, ...parts] }, ...messages.slice(last + 1)]
}

const partsOf = (content: string | ContentPart[]): ContentPart[] => {
  if (typeof content !== 'string') return content
  return content === '' ? [] : [{ type: 'text', text: content }]
}
