import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from '#errors'
import type { Permission } from '#platform/access/permissions.ts'
import type { Access, Caller, Client, OpenDeployment, Scope } from '#platform/access/scope.ts'
import type { Effects } from '#platform/idempotency/idempotency.ts'
import { EventLog, type NamedEvents } from '#platform/streams/event-log.ts'
import type { BodyLimits } from './body-limits.ts'
import type { ReceivedFile } from './receive-file.ts'

/**
 * The property of a handler's input that identifies the client: `caller`, `deployment`, `scope`, or `scopes` with one
 * scope per organization, beside `lacking` for those where the caller lacks the permission. Public routes have none,
 * and those that also the system administrator may call.
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
          : A extends { orSystem: true }
            ? object
            : { scope: Scope<P> }
        : A extends { permission: infer P extends Permission }
          ? { scopes: Scope<P>[]; lacking: Scope<never>[] }
          : never

type Values<S> = S extends TSchema ? Static<S> : undefined

/** A Server-Sent Events response: an event log, the start position, and extra headers. */
export interface EventStream {
  log: EventLog
  /** Id of the last event that the client received. The response starts with the next event. */
  afterId?: string | undefined
  named: NamedEvents
  headers?: Record<string, string>
  /** True if another process writes the log, and a client can therefore resume at any process. */
  isElsewhere?: boolean
  /** Aborted if the client disconnects before the stream ends. Set only for streams that cannot be resumed. */
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

/** A file sent as a download. Browsers never display it. */
export interface File {
  /** File name shown to the user. Characters that a header cannot contain are encoded. */
  name: string
  contentType: string
  content: string | Buffer
}

/** A file that is generated while it is sent. `content` is destroyed if the client disconnects. */
export interface FileStream {
  name: string
  content: Readable
}

/**
 * A reply that consists of a sentence. The handler may return a different sentence. The API reference shows this
 * sentence as the example.
 */
export type Confirmation = readonly [status: 200 | 201, view: TSchema, sentence: string]

/**
 * The reply of a route:
 * - a status and the view of a record
 * - a confirmation
 * - an event stream, described by the schema of its events
 * - a view, or an event stream if the client prefers it (accept.ts)
 * - a view, or a file if the client prefers it
 * - a redirect
 * - a file of one of these content types, each with its schema
 * - a generated file of this content type, with any size
 */
export type Reply =
  | readonly [status: 200 | 201, view: TSchema]
  | Confirmation
  | { events: TSchema; description: string; mayBeEmpty?: boolean; headers?: readonly string[] }
  | { view: TSchema; orEvents: TSchema; description: string }
  | { view: TSchema; orFile: string; description: string }
  | { redirect: string; seeOther?: string }
  | { file: Record<string, TSchema> }
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

/** A JSON response with extra headers. */
export interface Presented<A> {
  answer: A
  headers: Record<string, string | string[]>
}

/**
 * Declares a file upload. `example` is the name of the file in the API reference. A client may send the content types
 * in `raw` as the body itself, without a form. `bytesMax` allows files larger than MAX_UPLOAD_BYTES. `fields` describes
 * the form's other fields, which the handler receives as `fields`, and `fieldsExample` is an example of them.
 */
export interface Upload {
  description: string
  example: string
  raw?: readonly string[]
  bytesMax?: number
  fields?: TObject
  fieldsExample?: object
}

/** Permission for one upload, granted before the body is read. */
export interface UploadAdmission {
  /** Maximum file size in bytes. Overrides the route's limit. */
  bytesMax: number
  /** Called once when the request ends, whether or not it succeeded. `bytes` is the number of bytes received. */
  end(bytes: number): void
}

/**
 * Where a handler has side effects (docs/idempotency.md). Required for methods that change something. If a handler is
 * declared as `database`, models, net, storage, sandbox and mail throw when the handler uses them.
 *
 * - `database`: only in the database. With an Idempotency-Key, the handler's changes and its stored response share
 * one transaction.
 * - `outside`: also outside the database. The handler's last database changes are stored together with the response
 * (commitWithAnswer). After a crash, a repeat runs the handler again.
 * - `outside once`: like `outside`, but the work must not happen twice. After a crash, a repeat is refused.
 * - `reply`: the handler detects repeats itself.
 */
export type RouteEffects = Effects | 'reply'

/** Only POST accepts an Idempotency-Key. `outside once` and `reply` are therefore available only for POST. */
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
  P extends TObject | undefined = TObject | undefined,
> = Method & {
  /** A segment `:name` is a parameter, described in `params`. */
  url: `/${string}`
  summary: string
  description?: string
  access: A
  params?: P
  query?: Q
  body?: B
  /** Example of the body for the API reference. A test validates it. */
  example?: Values<B>
  headers?: Record<string, string>
  /** Name of a cookie whose value the handler receives as `cookie`. A repeat must send the same value. */
  cookie?: string
  /** Moves parts of a JSON response to headers. Also applied to a replayed response. */
  present?: (answer: Answer<R>, input: { body: Values<B> }) => Presented<Answer<R>>
  /**
   * Set if the body is a file, in a form or, with `raw`, as the body itself. The handler receives the file as `file`.
   */
  upload?: U
  /** Called before the file is read. Throws an error to refuse the request. */
  admitUpload?: (who: Identity<A>) => UploadAdmission
  /**
   * Returns the record that an update changes, as clients read it. With it, clients may send back read-only fields that
   * are unchanged. `body` has only the writable fields. Required for PUT, except where nothing read-only is shown.
   */
  current?: (input: Identity<A> & { query: Values<Q>; body: Values<B> }) => Promise<object>
  /** Overrides of the default JSON body limits for the route's access (body-limits.ts). */
  bodyLimits?: Partial<BodyLimits>
  /** Set for a change that a suspended organization allows, such as stopping a reply (docs/suspension.md). */
  allowedWhileSuspended?: true
  reply: R
  /** Errors of this operation, in addition to those of access checks and validation. */
  errors: readonly ErrorCode[]
  handler: (
    input: Identity<A> & {
      client: Client
      params: Values<P>
      query: Values<Q>
      body: Values<B>
      headers: IncomingHttpHeaders
      cookie: string | null
      disconnected: RouteInput['disconnected']
    } & (U extends Upload ? { file: ReceivedFile } : object) &
      (U extends { fields: infer F extends TObject } ? { fields: Static<F> } : object),
  ) => Handled<R>
}

/** A route without its type parameters, for the application and the API reference. */
export interface Route {
  method: RouteSpec['method']
  url: string
  summary: string
  description?: string
  access: Access
  params?: TObject
  query?: TObject
  body?: TSchema
  example?: unknown
  headers?: Record<string, string>
  effects?: RouteEffects
  cookie?: string
  present?: (answer: unknown, input: { body: unknown }) => Presented<unknown>
  upload?: Upload
  admitUpload?: (who: RouteInput) => UploadAdmission
  current?: (input: RouteInput) => Promise<object>
  bodyLimits?: Partial<BodyLimits>
  allowedWhileSuspended?: true
  reply: Reply
  errors: readonly ErrorCode[]
  handler: (input: RouteInput) => Promise<unknown>
}

/** Returns whether a suspended organization allows the request. Requests that only read declare no effects. */
export const isAllowedWhileSuspended = (route: Pick<Route, 'effects' | 'allowedWhileSuspended'>): boolean =>
  route.effects === undefined || route.allowedWhileSuspended === true

export interface RouteInput {
  caller?: Caller
  scope?: Scope<Permission>
  scopes?: Scope<Permission>[]
  lacking?: Scope<never>[]
  deployment?: OpenDeployment | null
  client: Client
  params: unknown
  query: unknown
  body: unknown
  headers: IncomingHttpHeaders
  /** Value of the route's cookie. Null if the route declares none or the client sent none. */
  cookie: string | null
  /**
   * Returns a signal that aborts if the client disconnects before the response is sent. With an Idempotency-Key, the
   * signal never aborts, because a repeat can fetch the response.
   */
  disconnected: () => AbortSignal
  file?: ReceivedFile
  /** The form's fields beside the file. */
  fields?: unknown
}

/** Declares an endpoint. The declaration determines the types of the handler. */
export function defineRoute<
  const A extends Access,
  Q extends TObject | undefined = undefined,
  B extends TSchema | undefined = undefined,
  const R extends Reply = Reply,
  U extends Upload | undefined = undefined,
  P extends TObject | undefined = undefined,
>(spec: RouteSpec<A, Q, B, R, U, P>): Route {
  const route = spec as unknown as Route
  const { reply, handler } = route
  const sentence = Array.isArray(reply) ? reply[2] : undefined
  if (sentence === undefined) return route
  return { ...route, handler: async (input) => (await handler(input)) ?? { message: sentence } }
}
