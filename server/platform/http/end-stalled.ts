import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** How long a client may take to send or to read `PROGRESS_BYTES`. */
export const STALL_MS = 60_000
/** Less than this in `STALL_MS` is a stall, so that a client that drips single bytes holds nothing. */
const PROGRESS_BYTES = 64 * 1024
/** How often within `STALL_MS` progress is looked at. */
const LOOKS = 4

/** Ends the connections of clients that do not read their answers, which would stay in memory. */
export function endStalledReaders(http: FastifyInstance, stallMs: number): void {
  http.addHook('onSend', (_request, reply, payload, done) => {
    if (isLarge(payload)) endStalledReader(reply.raw, stallMs)
    done()
  })
}

/** Smaller answers fit into the buffers of the operating system. A stream may be of any size. */
const isLarge = (payload: unknown): boolean =>
  typeof payload === 'string' || Buffer.isBuffer(payload)
    ? payload.length >= PROGRESS_BYTES
    : payload instanceof Readable

/** Ends the connection of a client that takes too little of what waits for it. Stops when the response closes. */
function endStalledReader(response: ServerResponse, stallMs: number): void {
  const stop = watchProgress({
    stallMs,
    // Counts what is queued, too; but while the queue is full, nothing is added.
    bytes: () => response.socket?.bytesWritten ?? 0,
    // With nothing to take, the server is the slow one.
    isWaiting: () => response.writableLength > 0,
    onStall: () => response.destroy(),
  })
  response.once('close', stop)
}

/** Ends the connection of a client that sends too little of a body. Returns what stops the clock. */
export const endStalledSender = (request: IncomingMessage, stallMs: number): (() => void) =>
  watchProgress({
    stallMs,
    bytes: () => request.socket.bytesRead,
    // Bytes that wait for the disk were sent.
    isWaiting: () => request.readableLength === 0 && !request.complete,
    onStall: () => request.destroy(),
  })

interface Transfer {
  stallMs: number
  /** Bytes that the connection has moved so far. */
  bytes(): number
  /** Whether the client is the one that is waited for. */
  isWaiting(): boolean
  onStall(): void
}

function watchProgress({ stallMs, bytes, isWaiting, onStall }: Transfer): () => void {
  let moved = bytes()
  let since = performance.now()
  const look = setInterval(() => {
    const now = bytes()
    if (now - moved >= PROGRESS_BYTES || !isWaiting()) {
      moved = now
      since = performance.now()
    } else if (performance.now() - since >= stallMs) {
      clearInterval(look)
      onStall()
    }
  }, stallMs / LOOKS)
  look.unref()
  return () => clearInterval(look)
}
