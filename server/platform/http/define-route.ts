import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from '#errors'
import type { Permission } from '#platform/access/permissions.ts'
import type { Access, Caller, Client, OpenDeployment, Scope } from '#platform/access/scope.ts'
import type { Effects } from '#platform/idempotency/idempotency.ts'
import { EventLog } from '#platform/streams/event-log.ts'
import type { BodyLimits } from './body-limits.ts'
import type { ReceivedFile } from './receive-file.ts'

/**
 * How a handler identifies the client: not at all, or by the caller, a deployment, one scope, or one scope per
 * organization.
 */
type Identity<A> = A extends 'public'
  ? object
  : A extends 'authenticated' | 'session' | 'system'
    ? { caller: Caller }
    : A extends 'deployment'
      ? { deployment: OpenDeployment }
      : A extends { permission: infer P extends Permission; orgOf: unknown }
        ? A extends { orDeployment: true }
          ? { scope: Scope<P>; deployment: OpenDeployment | null }
          : { scope: Scope<P> }
        : A extends { permission: infer P extends Permission }
          ? { scopes: Scope<P>[] }
          : never

type Values<S> = S extends TSchema ? Static<S> : undefined

/** A Server-Sent Events response: the events, where to start, and extra headers. */
export interface EventStream {
  log: EventLog
  /** The last event that the client has received. Sending continues after it. */
  afterId?: string | undefined
  /** Whether to send named events, too. */
  named: boolean
  headers?: Record<string, string>
  /** Aborted when the client disconnects before the end. Only for streams that cannot be resumed. */
  abandoned?: AbortController
}

export const isEventStream = (value: unknown): value is EventStream =>
  (value as Partial<EventStream> | null)?.log instanceof EventLog

/** Redirects the browser with 302, or with 303 if the route declares `seeOther`. */
export interface Redirect {
  status?: 302 | 303
  location: string
  headers?: Record<string, string>
}

/** A file sent as a download, never displayed by the browser. */
export interface File {
  /** Displayed name. Characters that a header can't hold are encoded. */
  name: string
  contentType: string
  content: string
}

/** A file that is generated while it is sent. Destroyed when the client disconnects. */
export interface FileStream {
  name: string
  content: Readable
}

/** A reply with this sentence, unless the handler returns another. The API reference shows it as the example. */
export type Confirmation = readonly [status: 200 | 201, view: TSchema, sentence: string]

/**
 * The reply of a route:
 * - a status and the view of a record
 * - a confirmation
 * - a stream described by its events
 * - a view or a stream, or a view or a file, as the client accepts (accept.ts)
 * - a redirect
 * - a file of one of these types, or a stream of this type with any size
 */
export type Reply =
  | readonly [status: 200 | 201, view: TSchema]
  | Confirmation
  | { events: TSchema; description: string; mayBeEmpty?: boolean; headers?: readonly string[] }
  | { view: TSchema; orEvents: TSchema; description: string }
  | { view: TSchema; orFile: string; description: string }
  | { redirect: string; seeOther?: string }
  | { file: readonly string[] }
  | { stream: string }

type Answer<R> = R extends readonly [number, infer V extends TSchema, string?]
  ? Static<V>
  : R extends { mayBeEmpty: true }
    ? EventStream | null
    : R extends { view: infer V extends TSchema }
      ? Static<V> | (R extends { orFile: string } ? File : EventStream)
      : R extends { redirect: string }
        ? Redirect
        : R extends { file: unknown }
          ? File
          : R extends { stream: string }
            ? FileStream
            : EventStream

type Handled<R> = R extends Confirmation ? Promise<void> | Promise<{ message: string }> : Promise<Answer<R>>

/** A JSON answer with extra headers. */
export interface Presented<A> {
  answer: A
  headers: Record<string, string | string[]>
}

/**
 * An uploaded file, with its name in the example of the API reference. `raw` lists the types that may be sent as the
 * body itself, without a form. `bytesMax` allows more than MAX_UPLOAD_BYTES.
 */
export interface Upload {
  description: string
  example: string
  raw?: readonly string[]
  bytesMax?: number
}

/** Permission to upload, granted before the body is read. */
export interface UploadAdmission {
  /** Maximum file size in bytes. Overrides the route's limit. */
  bytesMax: number
  /** Called once when the request ends for any reason, with the number of bytes received. */
  end(bytes: number): void
}

/**
 * Where a handler has its effects (docs/idempotency.md). Required for methods that change something. Enforced at run
 * time: models, net, storage, sandbox and mail throw if the declaration says `database`.
 *
 * - `database`: only in the database. With an Idempotency-Key, the handler and its stored answer share one transaction.
 * - `outside`: also elsewhere. The handler stores its last effects with its answer (commitWithAnswer). After a crash, a
 *   repeat does the work again.
 * - `outside once`: like `outside`, but the work must not happen twice. After a crash, a repeat is refused.
 * - `reply`: the handler recognizes repeats itself.
 */
export type RouteEffects = Effects | 'reply'

/** Only POST accepts an Idempotency-Key, so only POST declares how it handles repeats. */
type Method =
  | { method: 'GET'; effects?: never }
  | { method: 'POST'; effects: RouteEffects }
  | { method: 'PUT' | 'DELETE'; effects: 'database' | 'outside' }

export type RouteSpec<
  A extends Access = Access,
  Q extends TObject | undefined = TObject | undefined,
  B extends TSchema | undefined = TSchema | undefined,
  R extends Reply = Reply,
  U extends Upload | undefined = Upload | undefined,
> = Method & {
  url: `/${string}`
  summary: string
  description?: string
  access: A
  query?: Q
  body?: B
  /** Example body for the API reference. A test checks that it is valid. */
  example?: Values<B>
  headers?: Record<string, string>
  /** Name of the cookie passed to the handler as `cookie`. A repeat must send the same value. */
  cookie?: string
  /** Moves parts of a JSON answer into headers. Also applied to a replayed answer. */
  present?: (answer: Answer<R>, input: { body: Values<B> }) => Presented<Answer<R>>
  /** The body is a file, in a form or, with `raw`, as the body itself. The handler gets it as `file`. */
  upload?: U
  /** Called before the file is read. Throws to refuse the request. */
  admitUpload?: (who: Identity<A>) => UploadAdmission
  /** Overrides of the JSON body limits for this kind of access (body-limits.ts). */
  bodyLimits?: Partial<BodyLimits>
  reply: R
  /** Errors of this operation, besides those of access checks and validation. */
  errors: readonly ErrorCode[]
  handler: (
    input: Identity<A> & {
      client: Client
      query: Values<Q>
      body: Values<B>
      headers: IncomingHttpHeaders
      cookie: string | null
      disconnected: RouteInput['disconnected']
    } & (U extends Upload ? { file: ReceivedFile } : object),
  ) => Handled<R>
}

/** A route without its type parameters, for the application and the API reference. */
export interface Route {
  method: RouteSpec['method']
  url: string
  summary: string
  description?: string
  access: Access
  query?: TObject
  body?: TSchema
  example?: unknown
  headers?: Record<string, string>
  effects?: RouteEffects
  cookie?: string
  present?: (answer: unknown, input: { body: unknown }) => Presented<unknown>
  upload?: Upload
  admitUpload?: (who: RouteInput) => UploadAdmission
  bodyLimits?: Partial<BodyLimits>
  reply: Reply
  errors: readonly ErrorCode[]
  handler: (input: RouteInput) => Promise<unknown>
}

export interface RouteInput {
  caller?: Caller
  scope?: Scope<Permission>
  scopes?: Scope<Permission>[]
  deployment?: OpenDeployment | null
  client: Client
  query: unknown
  body: unknown
  headers: IncomingHttpHeaders
  /** The value of the route's cookie. */
  cookie: string | null
  /**
   * Returns a signal that aborts when the client disconnects before its answer. With an Idempotency-Key it never
   * aborts, because a repeat will fetch the answer.
   */
  disconnected: () => AbortSignal
  file?: ReceivedFile
}

/** Declares an endpoint. The types of its handler follow from the declaration. */
export function defineRoute<
  const A extends Access,
  Q extends TObject | undefined = undefined,
  B extends TSchema | undefined = undefined,
  const R extends Reply = Reply,
  U extends Upload | undefined = undefined,
>(spec: RouteSpec<A, Q, B, R, U>): Route {
  const route = spec as unknown as Route
  const { reply, handler } = route
  const sentence = Array.isArray(reply) ? reply[2] : undefined
  if (sentence === undefined) return route
  return { ...route, handler: async (input) => (await handler(input)) ?? { message: sentence } }
}
