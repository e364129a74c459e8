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

/** What a handler is given to say who asks: nothing, the caller, a deployment, one scope, or one for each organization. */
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

/** A stream of Server-Sent Events as an answer: its events, where to begin, and the headers that go before them. */
export interface EventStream {
  log: EventLog
  /** Events up to and with the one of this id were delivered before. */
  afterId?: string | undefined
  /** Whether events with a name are sent too. */
  named: boolean
  headers?: Record<string, string>
  /** Aborted when the client leaves before the end: for what nobody can come back to. */
  abandoned?: AbortController
}

export const isEventStream = (value: unknown): value is EventStream =>
  (value as Partial<EventStream> | null)?.log instanceof EventLog

/** Sends a browser elsewhere: 302, or 303 where the route declares `seeOther`. */
export interface Redirect {
  status?: 302 | 303
  location: string
  headers?: Record<string, string>
}

/** A file to keep, whatever it holds: a browser saves it and never shows it. */
export interface File {
  /** For the person; anything that a header can't hold is encoded. */
  name: string
  contentType: string
  content: string
}

/** A file that is written while it is sent; destroyed when the client leaves. */
export interface FileStream {
  name: string
  content: Readable
}

/**
 * What a route answers: a status and the view of a record, a stream described by its events, the view or the stream, or
 * the view or a file, as the client accepts it (accept.ts), a redirect, a file of one of these types, or one of this
 * type that may be of any size.
 */
export type Reply =
  | readonly [status: 200 | 201, view: TSchema]
  | { events: TSchema; description: string; mayBeEmpty?: boolean }
  | { view: TSchema; orEvents: TSchema; description: string }
  | { view: TSchema; orFile: string; description: string }
  | { redirect: string; seeOther?: string }
  | { file: readonly string[] }
  | { stream: string }

type Answer<R> = R extends readonly [number, infer V extends TSchema]
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

/** A JSON answer and the headers that go with it. */
export interface Presented<A> {
  answer: A
  headers: Record<string, string | string[]>
}

/** What a file is for; `raw`: the types in which the body may be the file itself; `bytesMax`: where it may be larger than MAX_UPLOAD_BYTES. */
export interface Upload {
  description: string
  raw?: readonly string[]
  bytesMax?: number
}

/** What an upload is let in with before its body is read. */
export interface UploadAdmission {
  /** The largest file, in place of the route's bound. */
  bytesMax: number
  /** Called once when the request is done, however it ends, with the bytes that the client has sent. */
  end(bytes: number): void
}

/**
 * Where a handler has its effects (docs/idempotency.md). Mandatory where the method changes something, and checked when
 * the handler runs: models, net, storage, sandbox and mail throw where the declaration says `database`.
 *
 * - `database`: all in the database. With an Idempotency-Key the handler and its answer are one transaction.
 * - `outside`: elsewhere too. It stores its last effects with its answer (commitWithAnswer); after a crash a repeat does
 *   the work again.
 * - `outside once`: as `outside`, but must not be done twice: after a crash a repeat is refused.
 * - `reply`: the handler recognizes repeats by itself.
 */
export type RouteEffects = Effects | 'reply'

/** Only a POST takes an Idempotency-Key, so only a POST has a repeat to declare. */
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
  /** An example of the body, for the documentation; a test sees to it that it is valid. */
  example?: Values<B>
  headers?: Record<string, string>
  /** The name of the cookie that the handler gets as `cookie`. A repeat must bring the same one. */
  cookie?: string
  /** Adds headers to a JSON answer, and takes out of it what they carry. It does so for a repeated answer too. */
  present?: (answer: Answer<R>, input: { body: Values<B> }) => Presented<Answer<R>>
  /** The body is a file, in a form, or with `raw` also as it is: the handler gets it as `file`. */
  upload?: U
  /** Asked before anything of the file is read. Throws to refuse the request. */
  admitUpload?: (who: Identity<A>) => UploadAdmission
  /** Limits of the JSON body that differ from those of its kind of access (body-limits.ts). */
  bodyLimits?: Partial<BodyLimits>
  reply: R
  /** What can go wrong here beside what access and validation refuse. */
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
  ) => Promise<Answer<R>>
}

/** A route whose types have done their work: as the application and the documentation read it. */
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
   * Returns a signal that aborts when the client leaves before its answer. With an Idempotency-Key it never does: a
   * repeat comes back for the answer.
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
  return spec as unknown as Route
}
