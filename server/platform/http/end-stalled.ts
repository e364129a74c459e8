import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** Time in which a client must send or read `PROGRESS_BYTES`. */
export const STALL_MS = 60_000
/** Bytes required per `STALL_MS`, so that a client cannot hold a connection open with single bytes. */
const PROGRESS_BYTES = 64 * 1024
/** Number of progress checks per `STALL_MS`. */
const LOOKS = 4

/** Closes connections of clients that do not read their responses, which would otherwise stay in memory. */
export function endStalledReaders(http: FastifyInstance, stallMs: number): void {
  http.addHook('onSend', (_request, reply, payload, done) => {
    if (isLarge(payload)) endStalledReader(reply.raw, stallMs)
    done()
  })
}

/** Smaller responses fit into the operating system's buffers. A stream can have any size. */
const isLarge = (payload: unknown): boolean =>
  typeof payload === 'string' || Buffer.isBuffer(payload)
    ? payload.length >= PROGRESS_BYTES
    : payload instanceof Readable

/** Closes the connection of a client that reads too slowly. Stops when the response closes. */
function endStalledReader(response: ServerResponse, stallMs: number): void {
  const stop = watchProgress({
    stallMs,
    // Includes queued bytes, but a full queue accepts no more.
    bytes: () => response.socket?.bytesWritten ?? 0,
    // If nothing is queued, the server is the slow side.
    isWaiting: () => response.writableLength > 0,
    onStall: () => response.destroy(),
  })
  response.once('close', stop)
}

/** Closes the connection of a client that sends its body too slowly. Returns a function that stops the check. */
export const endStalledSender = (request: IncomingMessage, stallMs: number): (() => void) =>
  watchProgress({
    stallMs,
    bytes: () => request.socket.bytesRead,
    // Bytes waiting for the disk have already been received.
    isWaiting: () => request.readableLength === 0 && !request.complete,
    onStall: () => request.destroy(),
  })

interface Transfer {
  stallMs: number
  /** Bytes transferred so far. */
  bytes(): number
  /** Whether the client is the slow side. */
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
