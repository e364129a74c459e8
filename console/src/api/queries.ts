import {
  type Body,
  type Input,
  type OperationName,
  ParleyError,
  type Query,
  type Reply,
} from '@parley/client'
import {
  infiniteQueryOptions,
  QueryClient,
  type QueryKey,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import { api } from './client.ts'
import { onReconnect } from './connection.ts'

const TRIES_MAX = 3
const WAIT_MAX_MS = 30_000

/** Cached data is not refetched before it reaches this age. */
const FRESH_MS = 10_000

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      retry: (tries, error) => tries < TRIES_MAX && error instanceof ParleyError && error.isRetryable,
      retryDelay: (tries, error) => waitAfter(tries, error),
    },
  },
})

/** Repeats all failed requests of the current page. */
export const retryFailed = (): Promise<void> =>
  queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })

onReconnect(() => void retryFailed())

/** Returns whether the server or the connection failed, so that other requests fail, too. */
export const isOutage = (error: Error | null): boolean =>
  error instanceof ParleyError && (error.isRetryable || error.status >= 500)

function waitAfter(tries: number, error: Error): number {
  const asked = error instanceof ParleyError ? error.retryAfterMs : null
  return Math.min(asked ?? 500 * 2 ** tries, WAIT_MAX_MS)
}

/** Returns the query options for an operation: `useQuery(read('GET /api/agents/get', { agent_id }))`. */
export const read = <O extends OperationName>(operation: O, query: Query<O>) =>
  queryOptions({
    queryKey: [operation, query] as QueryKey,
    queryFn: ({ signal }) => api.request(operation, { query, signal } as unknown as Input<O>),
  })

type Page = { data: unknown[]; pagination: { next_cursor: string | null } }
export type PagedOperation = { [O in OperationName]: Reply<O> extends Page ? O : never }[OperationName]
export type Item<O extends PagedOperation> = Reply<O> extends { data: (infer I)[] } ? I : never

/**
 * Returns the infinite-query options for a paged operation: `useInfiniteQuery(readPages('GET /api/agents/list', {
 * org_id }))`. The query's `data` is an array of the items of all loaded pages.
 */
export const readPages = <O extends PagedOperation>(operation: O, query: Query<O>) =>
  infiniteQueryOptions({
    queryKey: [operation, query, 'pages'] as QueryKey,
    queryFn: ({ signal, pageParam }) =>
      api.request(operation, { query: { ...query, cursor: pageParam }, signal } as unknown as Input<O>),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Reply<O>) => (page as unknown as Page).pagination.next_cursor ?? undefined,
    select: ({ pages }) => pages.flatMap((page) => (page as unknown as Page).data as Item<O>[]),
  })

interface Change<O extends OperationName> {
  /** Operations whose cached responses are stale after the change. */
  outdates?: readonly OperationName[]
  onDone?: (reply: Reply<O>, input: ChangeInput<O>) => void
}

export type ChangeInput<O extends OperationName> = Omit<Input<O>, 'signal'>

/**
 * Returns a mutation that calls an operation. For example, after `const add = useChange('POST /api/agents', {
 * outdates: ['GET /api/agents/list'] })`, call `add.mutate({ query, body })`.
 */
export function useChange<O extends OperationName>(operation: O, { outdates = [], onDone }: Change<O> = {}) {
  const client = useQueryClient()
  return useMutation<Reply<O>, Error, ChangeInput<O>>({
    mutationFn: (input) => api.request(operation, input as Input<O>),
    onSuccess: (reply, input) => {
      onDone?.(reply, input)
      return outdate(client, ...outdates)
    },
  })
}

/** Marks all cached responses of these operations as stale. Refetches the responses that are on screen. */
export const outdate = (client: QueryClient, ...operations: OperationName[]): Promise<unknown> =>
  Promise.all(operations.map((operation) => client.invalidateQueries({ queryKey: [operation] })))

export type { Body, Query, Reply }
