import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endStalledSender, STALL_MS } from './end-stalled.ts'

/** Maximum bytes of a refused body that are read and dropped. */
const DRAINED_BYTES_MAX = 2 * 1024 * 1024 * 1024
/** Time after which the rest of a refused body is no longer read. */
const DRAINED_MS_MAX = 10 * 60_000

/**
 * Reads and drops the rest of a refused request's body, so that the client can read the error. Most clients read no
 * response before they have sent the whole body, and closing the connection earlier would reset it. The connection of
 * a client that sends too much or too slowly is closed.
 */
export function drainBody({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete) return
  // Fastify has set this header for a body that is too large. It would close the connection right after the response.
  reply.removeHeader('Connection')
  let bytes = 0
  raw.once('close', endStalledSender(raw, STALL_MS))
  const tooLong = setTimeout(() => close(raw.socket), DRAINED_MS_MAX).unref()
  raw.once('close', () => clearTimeout(tooLong))
  keepReading(raw)
  raw.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > DRAINED_BYTES_MAX) close(raw.socket)
  })
}

/**
 * After a response that closes the connection, ends only this side of it until the body has arrived. Node would destroy
 * the connection, also of clients such as Python's urllib, which ask to close it and are still sending.
 */
function keepReading(request: IncomingMessage): void {
  const { socket } = request
  const { destroySoon } = socket
  const destroy = () => destroySoon.call(socket)
  socket.destroySoon = () => {
    if (request.complete) return destroy()
    request.once('end', destroy)
    socket.end()
  }
  // The connection may have many more requests.
  request.once('close', () => {
    socket.destroySoon = destroySoon
  })
}

/**
 * Ends this side of the connection before it is reset. To a client that is still sending, this looks like a broken
 * pipe and not like a reset: Python's clients then read the response.
 */
function close(socket: Socket): void {
  if (socket.writableFinished) socket.destroy()
  else if (!socket.writableEnded) socket.end(() => socket.destroy())
}
