import { infiniteQueryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'

const PAGE = 100
/** How often a reply is looked at that is written without us: after a reload, or a lost connection. */
const LOOK_MS = 1_500

/** The messages of a conversation, newest first. */
export const messagePages = (org_id: string, conversation_id: string) =>
  infiniteQueryOptions({
    queryKey: ['GET /api/conversation/messages', { org_id, conversation_id }],
    queryFn: ({ signal, pageParam }) =>
      api.request('GET /api/conversation/messages', {
        query: { org_id, conversation_id, limit: PAGE, offset: pageParam },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ messages, offset }) => (messages.length === PAGE ? offset + PAGE : undefined),
    select: ({ pages }) => pages.flatMap(({ messages }) => messages),
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.messages.some(({ status }) => status === 'streaming') ? LOOK_MS : false,
  })
