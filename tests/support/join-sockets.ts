import type { Socket } from 'node:net'

/**
 * Pipes bytes between two sockets. When either socket ends, the other socket is ended too. `open` contains both
 * sockets until they end.
 */
export function joinSockets(client: Socket, upstream: Socket, open: Set<Socket>): void {
  for (const socket of [client, upstream]) {
    open.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => {
      open.delete(socket)
      client.destroy()
      upstream.destroy()
    })
  }
  client.pipe(upstream).pipe(client)
}
