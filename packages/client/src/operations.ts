import type { paths } from './generated.ts'

type Method = 'get' | 'post' | 'put' | 'delete'

/** The operations of the API by method and path, such as `GET /api/agents/list`. */
export type Operations = {
  [P in keyof paths as OperationsAt<P>]: paths[P]
} extends infer All
  ? { [O in keyof All]: O extends `${infer M} ${string}` ? Described<All[O], Lowercase<M>> : never }
  : never

type OperationsAt<P extends keyof paths> = {
  [M in Method]: paths[P][M] extends object ? `${Uppercase<M>} ${P}` : never
}[Method]

interface Described<Path, M> {
  query: M extends keyof Path ? QueryOf<Path[M]> : never
  body: M extends keyof Path ? BodyOf<Path[M]> : never
  reply: M extends keyof Path ? JsonOf<SuccessOf<Path[M]>> : never
  event: M extends keyof Path ? EventOf<SuccessOf<Path[M]>> : never
}

type QueryOf<Op> = Op extends { parameters: { query?: infer Q } }
  ? [Q] extends [undefined]
    ? Record<never, never>
    : NonNullable<Q>
  : never
type BodyOf<Op> = Op extends { requestBody?: infer B }
  ? NonNullable<B> extends { content: { 'application/json': infer Json } }
    ? Json
    : undefined
  : undefined
type SuccessOf<Op> = Op extends { responses: infer R } ? R[keyof R & (200 | 201 | 202)] : never
type JsonOf<Answer> = Answer extends { content: { 'application/json': infer Json } } ? Json : undefined
type EventOf<Answer> = Answer extends { content: { 'text/event-stream': infer Event } } ? Event : never

export type OperationName = keyof Operations
export type Query<O extends OperationName> = Operations[O]['query']
export type Body<O extends OperationName> = Operations[O]['body']
export type Reply<O extends OperationName> = Operations[O]['reply']

/** The names of the operations that respond with a stream of events. */
export type StreamName = {
  [O in OperationName]: [Operations[O]['event']] extends [never]
    ? never
    : Operations[O]['event'] extends object
      ? O
      : never
}[OperationName]
export type StreamEvent<O extends StreamName> = Operations[O]['event']

/** The input of an operation: its query, its body and the call options. */
export type Input<O extends OperationName> = (Record<never, never> extends Query<O>
  ? { query?: Query<O> }
  : { query: Query<O> }) &
  (undefined extends Body<O> ? { body?: Body<O> } : { body: Body<O> }) &
  CallOptions

export interface CallOptions {
  signal?: AbortSignal | undefined
  /**
   * The idempotency key of a POST request: the server executes requests with the same key once. Random by default. If
   * null, no key is sent.
   */
  idempotencyKey?: string | null | undefined
  /** Whether a browser completes the request after the user has left the page. The body can have at most 64 KiB. */
  keepalive?: boolean | undefined
}
