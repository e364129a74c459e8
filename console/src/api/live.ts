import { type LiveEvent, listenForEvents } from '@parley/client'
import type { Chat, ChatPage } from '@parley/client/schemas'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { outdate } from './queries.ts'
import { session } from './session.ts'

/**
 * Receives live events while the component is mounted. Updates or refetches the cached data that the events concern.
 */
export function useLiveUpdates(): void {
  const client = useQueryClient()
  useEffect(() => {
    const leaving = new AbortController()
    const onEvent = (event: LiveEvent) => take(client, event)
    const onGap = () => void outdate(client, 'GET /api/chat', 'GET /api/chat/list', 'GET /api/kb/list')
    void listenForEvents('/api/ws', session, { onEvent, onGap }, leaving.signal)
    return () => leaving.abort()
  }, [client])
}

function take(client: QueryClient, event: LiveEvent): void {
  if (event.type === 'chat.title_updated') void renameChat(client, event.data)
  else if (event.type === 'kb.ingestion')
    void outdate(
      client,
      'GET /api/kb/ingestion_status',
      'GET /api/kb/list_documents',
      'GET /api/kb/get',
      'GET /api/kb/list',
    )
  else if (event.type === 'kb.deleted') void outdate(client, 'GET /api/kb/list')
  else if (event.type === 'deployment.status')
    void outdate(client, 'GET /api/agent_deploy/list', 'GET /api/agent_deploy/get')
}

/** Updates the chat's title in the cache. Repeats the requests under way, whose responses may have the old title. */
function renameChat(
  client: QueryClient,
  { chat_id, title }: { chat_id: string; title: string },
): Promise<unknown> {
  client.setQueriesData<{ pages: ChatPage[] }>(
    { queryKey: ['GET /api/chat/list'] },
    (known) =>
      known?.pages && {
        ...known,
        pages: known.pages.map((page) => ({
          ...page,
          data: page.data.map((chat) => (chat.id === chat_id ? { ...chat, title } : chat)),
        })),
      },
  )
  client.setQueriesData<{ chat: Chat }>(
    { queryKey: ['GET /api/chat'] },
    (known) => (known?.chat.id === chat_id && { ...known, chat: { ...known.chat, title } }) || known,
  )
  return Promise.all(
    ['GET /api/chat', 'GET /api/chat/list'].map((operation) =>
      client.invalidateQueries({ queryKey: [operation], fetchStatus: 'fetching' }),
    ),
  )
}
