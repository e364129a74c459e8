import type { Chat, ChatMessage, ChatWithMessages } from '@parley/client/schemas'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'

/** A chat with its loaded messages: the newest messages of all branches, without gaps. */
export interface ChatData {
  chat: Chat
  /** The loaded messages, oldest first. */
  messages: ChatMessage[]
  /** The cursor of the next page of older messages. Null if all messages are loaded. */
  older: string | null
}

export interface ChatPlace {
  org_id: string
  chat_id: string
}

const keyOf = (place: ChatPlace) => ['GET /api/chat', place, 'messages']

/**
 * Returns the query options that read a chat with its newest messages. A refetch keeps the older messages already
 * loaded.
 */
export const readChat = (place: ChatPlace) =>
  queryOptions({
    queryKey: keyOf(place),
    queryFn: async ({ signal, client }): Promise<ChatData> => {
      const page = await api.request('GET /api/chat', { query: { ...place, branches: 'all' }, signal })
      return withNewest(client.getQueryData<ChatData>(keyOf(place)), page)
    },
  })

/** Loads the next page of older messages. Throws a ParleyError. */
export async function loadOlder(client: QueryClient, place: ChatPlace): Promise<void> {
  const before = client.getQueryData<ChatData>(keyOf(place))
  if (!before?.older) return
  const page = await api.request('GET /api/chat', {
    query: { ...place, branches: 'all', cursor: before.older },
  })
  client.setQueryData<ChatData>(keyOf(place), (now) => {
    if (!now || now.older !== before.older) return now
    return { ...now, messages: [...page.messages, ...now.messages], older: page.pagination.next_cursor }
  })
}

export const changeChat = (client: QueryClient, place: ChatPlace, change: Partial<Chat>): void => {
  client.setQueryData<ChatData>(keyOf(place), (now) => now && { ...now, chat: { ...now.chat, ...change } })
}

/**
 * Merges a page of the newest messages into the loaded ones. Ids increase over time, so a message is older than the
 * page if its id is lower than the page's first id.
 */
function withNewest(
  before: ChatData | undefined,
  { messages, pagination, file_uploads: _files, ...chat }: ChatWithMessages,
): ChatData {
  const first = messages[0]?.id ?? ''
  const kept = before?.messages.filter(({ id }) => id < first) ?? []
  // If no loaded message is on the page, messages between the loaded ones and the page may be missing. Then keep only
  // the page.
  const isWhole = before?.messages.some(({ id }) => id >= first) ?? false
  if (!before || kept.length === 0 || !isWhole) return { chat, messages, older: pagination.next_cursor }
  return { chat, messages: [...kept, ...messages], older: before.older }
}
