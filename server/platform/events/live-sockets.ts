import { setImmediate } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Gauge } from 'prom-client'
import type { RawData, WebSocket } from 'ws'
import { AppError, fail, sentence } from '#errors'
import type { Caller } from '#platform/access/scope.ts'
import { MultiMap } from './multi-map.ts'

export interface LiveSocketsOptions {
  /** Interval between pings, in milliseconds. A socket that has not responded to a ping by the next one is closed. */
  heartbeatMs: number
  /** Authentication deadline of a socket, in milliseconds. */
  authenticationMs: number
}

const SOCKETS_MAX = 20_000
/** @limit concurrent WebSockets for live events per user and process */
const SOCKETS_OF_USER_MAX = 100
const UNAUTHENTICATED_MAX = 1_000
/**
 * Maximum number of bytes queued for a slow client. Beyond that, the socket is closed. The client loses only hints,
 * because the API provides the data.
 */
const QUEUED_BYTES_MAX = 64 * 1024
/** Maximum number of messages and pings from a client per heartbeat interval. Their content is ignored. */
const CLIENT_MESSAGES_MAX = 60
/** Number of sockets to process before other work of the event loop continues. */
const BATCH = 250
const READY = JSON.stringify({ type: 'ready' })

/** Close codes: those of RFC 6455, 7.4.1, or 4000 plus an HTTP status. */
const CLOSE = {
  stopping: 1001,
  binary: 1003,
  malformed: 1007,
  tooMuch: 1008,
  failed: 1011,
  unauthenticated: 4401,
  late: 4408,
  tooMany: 4429,
} as const

/** Returns the caller that a token belongs to. Throws the errors of readCredential and openCaller. */
export type Authenticate = (token: string) => Promise<Caller>

interface Connection {
  socket: WebSocket
  userId: string
  /** Id of the session or API key. */
  credentialId: string
  hasAnswered: boolean
  /** Number of messages since the last heartbeat. */
  messages: number
}

/**
 * The WebSockets of this process. Accepts sockets, checks that they are alive, sends messages and closes sockets.
 * Does not decide which events a user may receive.
 */
export class LiveSockets {
  readonly #options: LiveSocketsOptions
  readonly #log: Logger
  readonly #gauge: Gauge
  readonly #sockets = new Set<WebSocket>()
  readonly #byUser = new MultiMap<Connection>()
  readonly #byCredential = new MultiMap<Connection>()
  readonly #heartbeat: NodeJS.Timeout
  #unauthenticated = 0
  /** Set while the process stops. Called when the last socket has closed. */
  #allClosed: (() => void) | undefined

  constructor(options: LiveSocketsOptions, log: Logger, gauge: Gauge) {
    this.#options = options
    this.#log = log
    this.#gauge = gauge
    this.#heartbeat = setInterval(() => this.#beat(), options.heartbeatMs).unref()
  }

  /**
   * Throws server.unavailable if the server accepts no further socket, and events.too_many if the user has too many
   * sockets. `userId` is null before authentication.
   */
  checkCapacity(userId: string | null): void {
    if (
      this.#sockets.size >= SOCKETS_MAX ||
      (userId === null && this.#unauthenticated >= UNAUTHENTICATED_MAX)
    )
      throw fail('server.unavailable', { reason: sentence('events.server_full') })
    if (userId !== null) this.#checkUser(userId)
  }

  /** Accepts a socket. `who` is the caller, or a function that authenticates the socket by its first message. */
  accept(socket: WebSocket, who: Caller | Authenticate): void {
    this.#sockets.add(socket)
    this.#gauge.set(this.#sockets.size)
    socket.on('error', (error) => this.#log.debug({ err: error }, 'a live connection failed'))
    socket.once('close', () => {
      this.#sockets.delete(socket)
      this.#gauge.set(this.#sockets.size)
      if (this.#sockets.size === 0) this.#allClosed?.()
    })
    if (this.#allClosed) socket.close(CLOSE.stopping)
    else if (typeof who === 'function') this.#awaitToken(socket, who)
    else this.#begin(socket, who)
  }

  /** Returns whether the user has a socket in this process. With null, returns whether any user has one. */
  has(userId: string | null): boolean {
    return userId === null ? this.#byUser.size > 0 : this.#byUser.has(userId)
  }

  /**
   * Returns the ids of the sessions and API keys with which these users are connected to this process. If `userIds`
   * contains null, returns the ids of all users' sessions and API keys.
   */
  credentialIds(userIds: readonly (string | null)[]): string[] {
    if (userIds.includes(null)) return [...this.#byCredential.keys()]
    const found = new Set<string>()
    for (const userId of userIds as readonly string[])
      for (const { credentialId } of this.#byUser.of(userId)) found.add(credentialId)
    return [...found]
  }

  /**
   * Sends a message to every socket of these sessions and API keys. Closes sockets of clients that read too slowly.
   */
  async send(credentialIds: readonly string[], message: Buffer): Promise<void> {
    const connections = credentialIds.flatMap((id) => [...this.#byCredential.of(id)])
    await inBatches(connections, ({ socket }) => {
      if (socket.readyState !== socket.OPEN) return
      if (socket.bufferedAmount + message.length > QUEUED_BYTES_MAX) socket.terminate()
      else socket.send(message, { binary: false })
    })
  }

  /** Closes the sockets of sessions and API keys that are no longer valid. */
  end(credentialIds: readonly string[]): void {
    for (const id of credentialIds)
      for (const { socket } of this.#byCredential.of(id))
        refuse(socket, CLOSE.unauthenticated, fail('auth.invalid_token'))
  }

  /**
   * Closes all sockets. Waits until they are closed. The WebSocket server terminates sockets that do not respond in
   * time.
   */
  async stop(): Promise<void> {
    clearInterval(this.#heartbeat)
    const closed = new Promise<void>((resolve) => {
      this.#allClosed = resolve
    })
    for (const socket of this.#sockets) socket.close(CLOSE.stopping)
    if (this.#sockets.size > 0) await closed
  }

  #checkUser(userId: string): void {
    if (this.#byUser.of(userId).size >= SOCKETS_OF_USER_MAX)
      throw fail('events.too_many', { limit: SOCKETS_OF_USER_MAX })
  }

  #awaitToken(socket: WebSocket, authenticate: Authenticate): void {
    this.#unauthenticated++
    const late = setTimeout(
      () => refuse(socket, CLOSE.late, fail('events.no_token')),
      this.#options.authenticationMs,
    )
    const settle = (): void => {
      clearTimeout(late)
      socket.off('close', settle)
      this.#unauthenticated--
    }
    socket.once('close', settle)
    socket.once('message', async (data, isBinary) => {
      try {
        const caller = await authenticate(readToken(data, isBinary))
        if (socket.readyState !== socket.OPEN) return
        this.#checkUser(caller.userId)
        settle()
        this.#begin(socket, caller)
      } catch (error) {
        this.#turnAway(socket, error)
      }
    })
  }

  #turnAway(socket: WebSocket, error: unknown): void {
    if (error instanceof BadMessage) return refuse(socket, error.closeCode, fail('events.malformed'))
    if (error instanceof AppError && error.status === 401) return refuse(socket, CLOSE.unauthenticated, error)
    if (error instanceof AppError && error.status === 429) return refuse(socket, CLOSE.tooMany, error)
    this.#log.error({ err: error }, 'a live connection could not be authenticated')
    refuse(socket, CLOSE.failed, fail('server.error'))
  }

  #begin(socket: WebSocket, { userId, sessionId, apiKeyId }: Caller): void {
    const credentialId = (sessionId ?? apiKeyId) as string
    const connection = { socket, userId, credentialId, hasAnswered: true, messages: 0 }
    const count = (): void => {
      connection.messages++
      if (connection.messages > CLIENT_MESSAGES_MAX) socket.close(CLOSE.tooMuch)
    }
    socket.on('message', (_data, isBinary) => {
      if (isBinary) socket.close(CLOSE.binary)
      else count()
    })
    socket.on('ping', count)
    socket.on('pong', () => {
      connection.hasAnswered = true
    })
    socket.once('close', () => {
      this.#byUser.remove(userId, connection)
      this.#byCredential.remove(credentialId, connection)
    })
    this.#byUser.add(userId, connection)
    this.#byCredential.add(credentialId, connection)
    socket.send(READY)
  }

  #beat(): void {
    inBatches(this.#byUser.all(), (connection) => {
      const { socket } = connection
      if (socket.readyState !== socket.OPEN) return
      if (!connection.hasAnswered) return socket.terminate()
      connection.hasAnswered = false
      connection.messages = 0
      socket.ping()
    }).catch((error: unknown) => this.#log.error({ err: error }, 'the heartbeat failed'))
  }
}

class BadMessage extends Error {
  override readonly name = 'BadMessage'
  readonly closeCode: number

  constructor(closeCode: number) {
    super('not an authentication message')
    this.closeCode = closeCode
  }
}

/**
 * Returns the token of the message `{"type":"auth","token":"…"}`. Throws a BadMessage if the message is not JSON
 * text, and auth.missing for any other message.
 */
function readToken(data: RawData, isBinary: boolean): string {
  if (isBinary) throw new BadMessage(CLOSE.binary)
  let message: { type?: unknown; token?: unknown } | null
  try {
    message = JSON.parse(String(data))
  } catch {
    throw new BadMessage(CLOSE.malformed)
  }
  if (message?.type !== 'auth' || typeof message.token !== 'string') throw fail('auth.missing')
  return message.token
}

/** Sends an error message and closes the socket. */
function refuse(socket: WebSocket, closeCode: number, error: AppError): void {
  if (socket.readyState !== socket.OPEN) return
  socket.send(JSON.stringify({ type: 'error', detail: error.message, code: error.code }))
  socket.close(closeCode, error.code)
}

async function inBatches<Item>(items: Item[], work: (item: Item) => void): Promise<void> {
  for (let begin = 0; begin < items.length; begin += BATCH) {
    items.slice(begin, begin + BATCH).forEach(work)
    await setImmediate()
  }
}
