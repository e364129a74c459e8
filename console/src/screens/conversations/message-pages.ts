import { infiniteQueryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'

const PAGE = 100
/**
 * Poll interval in milliseconds while a reply is streaming. Needed after a reload, when the page no longer follows the
 * reply's stream.
 */
const LOOK_MS = 1_500

/** Returns the query options that read a conversation's messages, newest first. */
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
