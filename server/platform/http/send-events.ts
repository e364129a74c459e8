import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import { fail } from '#errors'
import { startOfLog } from '#platform/streams/event-log.ts'
import type { EventStream } from './define-route.ts'

/** Proxies cut connections that are silent; a comment keeps them open (contract, 5). */
const HEARTBEAT_MS = 15_000
/** A reader that takes nothing for this long is gone. */
const STALLED_READER_MS = 60_000

/**
 * Sends a log of events to one client, from where the client left off to the end of the log. What a slow client has
 * not taken yet waits in the log, which is shared, and not in a buffer of its own. `open` counts the clients.
 */
export function sendEvents(
  reply: FastifyReply,
  stream: EventStream,
  open: { inc(): void; dec(): void },
): void {
  const { log, named } = stream
  const position = stream.afterId === undefined ? startOfLog() : log.positionAfter(stream.afterId, named)
  if (!position) throw fail('request.invalid', { reason: 'Last-Event-ID is not an id of this stream' })

  reply.hijack()
  open.inc()
  const response = reply.raw
  response.socket?.setNoDelay(true)
  response.writeHead(200, {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    ...stream.headers,
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  })

  response.flushHeaders()
  const send = writerOf(reply)

  let blocked = false
  let stalled: NodeJS.Timeout | undefined
  const push = (): void => {
    while (!blocked) {
      const piece = log.read(position, named)
      if (piece === undefined) break
      if (piece !== '' && !send(piece)) waitForDrain()
    }
    if (log.ended && !blocked) response.end()
  }
  const waitForDrain = (): void => {
    blocked = true
    stalled = setTimeout(() => response.destroy(), STALLED_READER_MS)
    response.socket?.once('drain', () => {
      clearTimeout(stalled)
      blocked = false
      push()
    })
  }
  const heartbeat = setInterval(() => {
    if (!blocked) send(': still here\n\n')
  }, HEARTBEAT_MS)
  const leave = log.follow(push)
  response.once('close', () => {
    open.dec()
    clearInterval(heartbeat)
    clearTimeout(stalled)
    leave()
    if (!log.ended) stream.abandoned?.abort()
  })
  response.on('error', () => response.destroy())
  push()
}

/**
 * Writes a piece of the body straight to the socket, as one chunk (RFC 9112, 7.1) and one write, where Node's own
 * response makes four: on the token path that is a tenth of everything. False: the socket has enough for now.
 */
function writerOf(reply: FastifyReply): (piece: string) => boolean {
  const { socket } = reply.raw
  const isChunked = reply.request.raw.httpVersion !== '1.0'
  return (piece) => {
    if (!socket || socket.destroyed) return true
    return socket.write(isChunked ? `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n` : piece)
  }
}
