import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Chat, ChatPage, IngestionStatus } from './operations.ts'
import { outdate } from './queries.ts'
import { accessToken } from './session.ts'

/** What happens while somebody looks on (docs/live-events.md): a hint; the API has the truth. */
export type LiveEvent =
  | { type: 'chat.title_updated'; organization_id: string; data: { chat_id: string; title: string } }
  | {
      type: 'kb.ingestion'
      organization_id: string
      data: { kb_id: string; status: IngestionStatus['status']; progress: number }
    }
  | {
      type: 'deployment.status'
      organization_id: string
      data: { deployment_id: string; status: 'active' | 'paused' }
    }

const WAIT_MIN_MS = 1_000
const WAIT_MAX_MS = 30_000

/** Keeps what is shown up with what happens, for as long as the component is there. */
export function useLiveUpdates(): void {
  const client = useQueryClient()
  useEffect(() => {
    const leaving = new AbortController()
    void listen(client, leaving.signal)
    return () => leaving.abort()
  }, [client])
}

async function listen(client: QueryClient, signal: AbortSignal): Promise<void> {
  for (let wait = WAIT_MIN_MS; !signal.aborted; wait = Math.min(wait * 2, WAIT_MAX_MS)) {
    const begun = Date.now()
    await connect(client, signal).catch(() => {})
    if (Date.now() - begun > WAIT_MAX_MS) wait = WAIT_MIN_MS
    await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())))
    // Something may have been missed.
    if (!signal.aborted) void outdate(client, 'GET /api/chat/list', 'GET /api/kb/list')
  }
}

async function connect(client: QueryClient, signal: AbortSignal): Promise<void> {
  const token = await accessToken()
  if (token === null || signal.aborted) return
  const socket = new WebSocket('/api/ws')
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const leave = () => socket.close()
  signal.addEventListener('abort', leave, { once: true })
  socket.onopen = () => socket.send(JSON.stringify({ type: 'auth', token }))
  socket.onclose = () => resolve()
  socket.onmessage = ({ data }) => take(client, JSON.parse(String(data)) as LiveEvent)
  await closed
  signal.removeEventListener('abort', leave)
}

function take(client: QueryClient, event: LiveEvent): void {
  if (event.type === 'chat.title_updated') renameChat(client, event.data)
  else if (event.type === 'kb.ingestion')
    void outdate(
      client,
      'GET /api/kb/ingestion_status',
      'GET /api/kb/list_documents',
      'GET /api/kb/get',
      'GET /api/kb/list',
    )
  else if (event.type === 'deployment.status')
    void outdate(client, 'GET /api/agent_deploy/list', 'GET /api/agent_deploy/get')
}

/** In place: the list does not have to be asked for again for a title. */
function renameChat(client: QueryClient, { chat_id, title }: { chat_id: string; title: string }): void {
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
}
