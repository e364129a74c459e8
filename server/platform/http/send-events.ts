import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import { fail, sentence } from '#errors'
import { startOfLog } from '#platform/streams/event-log.ts'
import type { Metrics } from '#platform/telemetry/metrics.ts'
import type { EventStream } from './define-route.ts'
import type { Draining } from './draining.ts'

/** Interval of comments that keep proxies from closing a silent connection. */
const HEARTBEAT_MS = 15_000
/** A client that reads nothing for this long is disconnected. */
const STALLED_READER_MS = 60_000

/**
 * Sends an event log to one client, from the client's position to the end of the log. Unsent events stay in the
 * shared log, so no client needs a buffer. When the process shuts down, a client of a log that other processes can
 * serve is disconnected, so that it resumes at one of them.
 */
export function sendEvents(
  reply: FastifyReply,
  stream: EventStream,
  { metrics, draining }: { metrics: Pick<Metrics, 'streamsOpen'>; draining: Draining },
): void {
  const { log, named } = stream
  const position = stream.afterId === undefined ? startOfLog() : log.positionAfter(stream.afterId, named)
  if (!position) throw fail('request.invalid', { reason: sentence('request.last_event_id') })

  reply.hijack()
  metrics.streamsOpen.inc()
  const response = reply.raw
  const { socket } = reply.request.raw
  socket.setNoDelay(true)
  response.writeHead(200, {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    ...stream.headers,
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  })

  response.flushHeaders()
  const send = writerOf(reply)

  // A pipelined response gets its socket only after earlier responses are done.
  let blocked = response.socket === null
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
    socket.once('drain', () => {
      clearTimeout(stalled)
      unblock()
    })
  }
  const unblock = (): void => {
    blocked = false
    push()
  }
  const heartbeat = setInterval(() => {
    if (!blocked) send(': still here\n\n')
  }, HEARTBEAT_MS)
  const unfollow = log.follow(push)
  const cancelHandOver = stream.isElsewhere ? draining.onBegin(() => response.destroy()) : () => {}
  let isOver = false
  const close = (): void => {
    if (isOver) return
    isOver = true
    metrics.streamsOpen.dec()
    cancelHandOver()
    clearInterval(heartbeat)
    clearTimeout(stalled)
    unfollow()
    if (!log.ended) stream.abandoned?.abort()
  }
  response.once('close', close)
  response.on('error', () => response.destroy())
  // If the client has already disconnected, or the response never gets its socket, the response emits no close event.
  if (socket.destroyed) return close()
  if (!blocked) return push()
  socket.once('close', close)
  response.once('socket', () => {
    socket.off('close', close)
    // Node writes the response head after this event, in the same event loop turn.
    setImmediate(unblock)
  })
}

/**
 * Returns a function that writes a piece of the body as one chunk (RFC 9112, 7.1) in a single socket write. Node's
 * response would make four writes, which costs a tenth of all work per token. The function returns false if the
 * socket's buffer is full.
 */
function writerOf({ request }: FastifyReply): (piece: string) => boolean {
  const { socket, httpVersion } = request.raw
  const isChunked = httpVersion !== '1.0'
  return (piece) => {
    if (socket.destroyed) return true
    return socket.write(isChunked ? `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n` : piece)
  }
}
