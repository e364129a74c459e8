import type { FastifyReply } from 'fastify'

/** Returns a signal that aborts if the connection closes before the reply is sent. */
export function disconnectSignal({ raw: response, request }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  const { socket } = request.raw
  const onClose = (): void => controller.abort()
  if (socket.destroyed) onClose()
  // Listen to the socket too, because a pipelined response that never got its socket emits no close event.
  socket.once('close', onClose)
  response.once('close', () => socket.off('close', onClose))
  return controller.signal
}
