import { fail, sentence } from '#errors'
import { appendItems, readConversation } from './conversation-store.ts'
import { copyOf, type Item, uuidIn } from './items.ts'
import type { ResponseRequest } from './schemas.ts'
import { type NewResponse, readChain, readRetentionDays, storeResponse } from './store.ts'
import { inTransaction, type StoringOwner } from './stored-items.ts'

/** The items that a response continues, and how the response is stored. */
export interface History {
  /** The items before the input. */
  items: readonly Item[]
  /** Whether the response is stored. */
  isStored: boolean
  /** Stores the response if `isStored`, and adds its items to the conversation that it continues. Throws upload.quota. */
  store(response: Omit<NewResponse, 'previousId'>): Promise<void>
}

/**
 * Reads the items that a request continues: those of a stored response, of a conversation, or of a response that the
 * client's connection remembers. Throws openai.previous_not_found, openai.conversation_not_found, openai.stores_nothing and
 * request.invalid.
 */
export async function openHistory(
  owner: StoringOwner,
  { previous_response_id: previous, conversation, store }: ResponseRequest,
  remembered: readonly Item[] | undefined,
): Promise<History> {
  if (previous && conversation) throw fail('request.invalid', { reason: sentence('openai.one_history') })
  const days = store === false && !conversation ? 0 : await readRetentionDays(owner)
  const isStored = store !== false && days > 0
  if (conversation) {
    const { id, items } = await readConversation(owner, conversationIdOf(conversation))
    if (days === 0) throw fail('openai.stores_nothing')
    return {
      items,
      isStored,
      async store(response) {
        await inTransaction(owner, async (tx) => {
          await appendItems(tx, id, [...response.input, ...response.output], days)
          if (isStored) await storeResponse(tx, { ...response, previousId: null }, days)
        })
      },
    }
  }
  const items = remembered ?? (previous ? await readChain(owner, previous) : [])
  return {
    items,
    isStored,
    async store(response) {
      if (!isStored) return
      const previousId = previous && !remembered ? uuidIn(previous) : null
      const input = [...(remembered ?? []).map(copyOf), ...response.input]
      await storeResponse(owner, { ...response, input, previousId }, days)
    },
  }
}

export const conversationIdOf = (conversation: string | { id: string }): string =>
  typeof conversation === 'string' ? conversation : conversation.id
