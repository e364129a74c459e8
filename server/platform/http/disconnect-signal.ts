import type { FastifyReply } from 'fastify'

/** A signal that aborts when the connection closes before the reply is sent. */
export function disconnectSignal({ raw: response, request }: FastifyReply): AbortSignal {
  const left = new AbortController()
  const { socket } = request.raw
  const leave = (): void => left.abort()
  if (socket.destroyed) leave()
  // A pipelined response that never got its socket has no event of its end.
  socket.once('close', leave)
  response.once('close', () => socket.off('close', leave))
  return left.signal
}
