import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** Time in which a client must send or read `PROGRESS_BYTES`. */
export const STALL_MS = 60_000
/** Minimum number of bytes per `STALL_MS`. A client therefore cannot hold a connection open with single bytes. */
const PROGRESS_BYTES = 64 * 1024
/** Number of progress checks per `STALL_MS`. */
const CHECKS = 4

/**
 * Closes connections of clients that do not read their responses. Unread responses would otherwise stay in memory.
 */
export function endStalledReaders(http: FastifyInstance, stallMs: number): void {
  http.addHook('onSend', (_request, reply, payload, done) => {
    if (isLarge(payload)) endStalledReader(reply.raw, stallMs)
    done()
  })
}

/** Small responses fit into the operating system's buffers and need no check. A stream can have any size. */
const isLarge = (payload: unknown): boolean =>
  typeof payload === 'string' || Buffer.isBuffer(payload)
    ? payload.length >= PROGRESS_BYTES
    : payload instanceof Readable

/** Closes the connection if the client reads the response too slowly. The check ends when the response closes. */
function endStalledReader(response: ServerResponse, stallMs: number): void {
  const stop = watchProgress({
    stallMs,
    // `bytesWritten` includes queued bytes, but does not grow while the queue is full.
    bytes: () => response.socket?.bytesWritten ?? 0,
    // If nothing is queued, the transfer waits for the server.
    isWaiting: () => response.writableLength > 0,
    onStall: () => response.destroy(),
  })
  response.once('close', stop)
}

/** Closes the connection if the client sends its body too slowly. Returns a function that ends the check. */
export const endStalledSender = (request: IncomingMessage, stallMs: number): (() => void) =>
  watchProgress({
    stallMs,
    bytes: () => request.socket.bytesRead,
    // If received bytes wait for the disk, the transfer waits for the server.
    isWaiting: () => request.readableLength === 0 && !request.complete,
    onStall: () => request.destroy(),
  })

interface Transfer {
  stallMs: number
  /** Bytes transferred so far. */
  bytes(): number
  /** Returns whether the transfer waits for the client. */
  isWaiting(): boolean
  onStall(): void
}

function watchProgress({ stallMs, bytes, isWaiting, onStall }: Transfer): () => void {
  let moved = bytes()
  let since = performance.now()
  const timer = setInterval(() => {
    const now = bytes()
    if (now - moved >= PROGRESS_BYTES || !isWaiting()) {
      moved = now
      since = performance.now()
    } else if (performance.now() - since >= stallMs) {
      clearInterval(timer)
      onStall()
    }
  }, stallMs / CHECKS)
  timer.unref()
  return () => clearInterval(timer)
}
