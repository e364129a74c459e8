import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { type ClientOptions, WebSocket } from 'ws'

// biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect, and fail if one is missing
type Message = any

/** A client's connection to /api/ws. */
export interface LiveSocket {
  socket: WebSocket
  /** Received messages that neither `next` nor `until` has returned yet. */
  messages: Message[]
  received: Message[]
  /** Waits for the next message, removes it from `messages` and returns it. Throws once the connection has ended. */
  next(): Promise<Message>
  /** Removes and returns messages, up to and including the first message of this type. */
  until(type: string): Promise<Message[]>
  send(message: unknown): void
  closed: Promise<{ code: number; reason: string }>
}

interface OpenOptions {
  /** An access token, sent as a Bearer token with the upgrade request. */
  token?: string
  headers?: Record<string, string>
  path?: string
  options?: ClientOptions
}

/** Opens a socket. Throws RefusedUpgrade if the server rejects the upgrade. */
export async function openLiveSocket(url: string, open: OpenOptions = {}): Promise<LiveSocket> {
  const { token, headers, path = '/api/ws', options } = open
  const socket = new WebSocket(url.replace('http', 'ws') + path, {
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
    ...options,
  })
  const live = listen(socket)
  const refused = once(socket, 'unexpected-response').then(async ([request, response]) => {
    const body = await text(response)
    request.destroy()
    throw new RefusedUpgrade(response.statusCode, response.headers, body)
  })
  await Promise.race([once(socket, 'open'), refused])
  return live
}

/** Opens a socket with a token, and waits for its `ready` message. */
export async function openReady(url: string, token: string, options?: ClientOptions): Promise<LiveSocket> {
  const live = await openLiveSocket(url, { token, ...(options && { options }) })
  await live.until('ready')
  return live
}

export class RefusedUpgrade extends Error {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: Message

  constructor(status: number, headers: Record<string, string>, body: string) {
    super(`${status} ${body}`)
    this.status = status
    this.headers = headers
    this.body = body.startsWith('{') ? JSON.parse(body) : body
  }
}

function listen(socket: WebSocket): LiveSocket {
  const messages: Message[] = []
  const received: Message[] = []
  let wake = (): void => {}
  let hasEnded = false
  socket.on('message', (data) => {
    const message = JSON.parse(String(data))
    messages.push(message)
    received.push(message)
    wake()
  })
  socket.on('error', () => {})
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => {
      hasEnded = true
      wake()
      resolve({ code, reason: String(reason) })
    })
  })
  const next = async (): Promise<Message> => {
    while (messages.length === 0) {
      if (hasEnded) throw new Error('the connection has ended')
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    return messages.shift()
  }
  return {
    socket,
    messages,
    received,
    next,
    async until(type) {
      const taken = [await next()]
      while (taken.at(-1).type !== type) taken.push(await next())
      return taken
    },
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    closed,
  }
}
