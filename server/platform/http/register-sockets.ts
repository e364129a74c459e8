import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { TObject, TSchema } from 'typebox'
import type { WebSocket } from 'ws'
import { fail, sentence } from '#errors'
import type { AccessDependencies } from '#platform/access/access.ts'
import type { AccessTokens } from '#platform/access/access-tokens.ts'
import { readCredential } from '#platform/access/credentials.ts'
import type { Access, Client, OpenDeployment, Scope } from '#platform/access/scope.ts'
import { logFault } from '#platform/telemetry/log-fault.ts'
import { describeWork, runWork } from '#platform/telemetry/running.ts'
import type { Stalls } from '#platform/telemetry/stalls.ts'
import type { BodyLimits } from './body-limits.ts'
import type { Draining } from './draining.ts'
import { parseJsonBody } from './json-body.ts'
import type { CountRequest } from './limit-requests.ts'
import { clientOf, identify } from './register-routes.ts'
import { answerTo, appErrorOf, faultOf } from './send-error.ts'
import { compileValidator, validationError } from './validation.ts'
import type { WebSockets } from './web-sockets.ts'

/**
 * A WebSocket whose messages are requests, each with a schema. A client sends its token or key with the upgrade. Each
 * message is authenticated, authorized and counted like an HTTP request, so a revoked key stops at the next message. A
 * connection handles one message at a time.
 */
export interface SocketRoute {
  url: `/${string}`
  access: Extract<Access, { orDeployment: true }>
  query: TObject
  message: TSchema
  limits: BodyLimits
  /** Called for each connection. Returns the handler of its messages. An error of the handler is sent to the client. */
  open(): (input: MessageInput) => Promise<void>
}

export interface MessageInput {
  scope: Scope<'chats:write'>
  deployment: OpenDeployment | null
  client: Client
  message: unknown
  /** Aborted when the client disconnects. */
  disconnected: AbortSignal
  send(event: object): void
}

interface Dependencies {
  tokens: AccessTokens
  access: AccessDependencies
  count: CountRequest
  draining: Draining
  log: Logger
  stalls: Pick<Stalls, 'limit'>
}

const SOCKETS_MAX = 2_000
/** @limit concurrent WebSockets for responses per user and process */
const SOCKETS_OF_USER_MAX = 100
/** Maximum number of bytes queued for a slow client. Beyond that, the socket is closed. */
const QUEUED_BYTES_MAX = 8 * 1024 * 1024
/** Interval between pings. A socket that has not responded to a ping by the next one is closed. */
const HEARTBEAT_MS = 30_000
/** Maximum age of a connection. OpenAI's connections have the same. */
const AGE_MAX_MS = 60 * 60 * 1_000
/** Close codes of RFC 6455, 7.4.1. */
const CLOSE = { goingAway: 1001, binary: 1003 } as const

export function registerSockets(
  http: FastifyInstance,
  webSockets: WebSockets,
  deps: Dependencies,
  routes: readonly SocketRoute[],
): void {
  const open = new OpenSockets()
  for (const route of routes) {
    const enter = async (request: FastifyRequest): Promise<Pick<MessageInput, 'scope' | 'deployment'>> => {
      request.credential = await readCredential(deps.tokens, request.headers)
      const identity = await identify(deps.access, { ...route, method: 'GET', effects: 'outside' }, request)
      return identity as Pick<MessageInput, 'scope' | 'deployment'>
    }
    const validate = compileValidator(route.message, 'body')
    webSockets.allow(route.url)
    http.get(route.url, { schema: { querystring: route.query } }, async (request, reply) => {
      const { scope } = await enter(request)
      webSockets.check(request)
      deps.draining.refuse()
      const admit = async () => {
        const rateWindows = await deps.count(request, reply)
        rateWindows.check()
        return { ...(await enter(request)), client: clientOf(request) }
      }
      const read = (data: Buffer): unknown => {
        const message = parseJsonBody(data, { valuesMax: route.limits.values, what: 'The message' })
        if (!validate(message)) throw validationError(validate.errors ?? [], 'body')
        return message
      }
      await webSockets.accept(request, reply, {
        bytesMax: route.limits.bytes,
        lastCheck: () => open.check(scope.userId),
        begin(socket) {
          open.add(scope.userId, socket)
          serve(socket, { admit, read, handle: route.open(), deps, request })
        },
      })
    })
  }
}

/** The open sockets of this process, by user. A deployment has a user of its own. */
class OpenSockets {
  readonly #ofUser = new Map<string, number>()
  #count = 0

  /** Throws server.unavailable if the process has too many sockets, and events.too_many if the user has. */
  check(userId: string): void {
    if (this.#count >= SOCKETS_MAX)
      throw fail('server.unavailable', { reason: sentence('events.server_full') })
    if ((this.#ofUser.get(userId) ?? 0) >= SOCKETS_OF_USER_MAX)
      throw fail('events.too_many', { limit: SOCKETS_OF_USER_MAX })
  }

  add(userId: string, socket: WebSocket): void {
    this.#change(userId, 1)
    socket.once('close', () => this.#change(userId, -1))
  }

  #change(userId: string, by: 1 | -1): void {
    this.#count += by
    const count = (this.#ofUser.get(userId) ?? 0) + by
    if (count > 0) this.#ofUser.set(userId, count)
    else this.#ofUser.delete(userId)
  }
}

interface Serving {
  admit(): Promise<Pick<MessageInput, 'scope' | 'deployment' | 'client'>>
  read(data: Buffer): unknown
  handle(input: MessageInput): Promise<void>
  deps: Pick<Dependencies, 'draining' | 'log' | 'stalls'>
  request: FastifyRequest
}

/** Serves a connection until it closes. When the process shuts down, lets the message in progress end. */
function serve(
  socket: WebSocket,
  { admit, read, handle, deps: { draining, log, stalls }, request }: Serving,
): void {
  const closed = new AbortController()
  let isBusy = false
  let hasAnswered = true
  const send = (event: object): void => {
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > QUEUED_BYTES_MAX) socket.terminate()
    else socket.send(JSON.stringify(event))
  }
  const sendError = (error: unknown): void => {
    const expected = appErrorOf(error, request)
    if (expected.status >= 500)
      logFault(log, faultOf(error, expected), { request_id: request.id }, 'message failed')
    const { status, body } = answerTo(expected, request.originalUrl, request.id)
    send({ type: 'error', status, ...body })
  }
  const leave = (): void => {
    if (!isBusy) socket.close(CLOSE.goingAway)
  }
  const heartbeat = setInterval(() => {
    if (!hasAnswered) return socket.terminate()
    hasAnswered = false
    socket.ping()
  }, HEARTBEAT_MS)
  const age = setTimeout(() => socket.close(CLOSE.goingAway), AGE_MAX_MS)
  const cancelLeaving = draining.onBegin(leave)

  socket.on('error', (error) => log.debug({ err: error }, 'a connection failed'))
  socket.on('pong', () => {
    hasAnswered = true
  })
  socket.once('close', () => {
    closed.abort()
    clearInterval(heartbeat)
    clearTimeout(age)
    cancelLeaving()
  })
  socket.on('message', async (data, isBinary) => {
    if (isBinary) return socket.close(CLOSE.binary)
    if (isBusy) return sendError(fail('events.message_in_progress'))
    isBusy = true
    const turn: { end: (() => void) | null } = { end: null }
    try {
      await runWork(describeWork(`message ${request.routeOptions.url}`, null, request.id), async () => {
        const sender = await admit()
        turn.end = await stalls.limit.enter(sender.scope.organizationId)
        await handle({
          ...sender,
          message: read(data as Buffer),
          // As with HTTP, the turn ends when the response begins.
          send(event) {
            turn.end?.()
            send(event)
          },
          disconnected: closed.signal,
        })
      })
    } catch (error) {
      sendError(error)
    } finally {
      turn.end?.()
    }
    isBusy = false
    if (draining.isOn) leave()
  })
}
