import type { Socket } from 'node:net'

/**
 * Pipes bytes both ways without delay until either socket ends, which also ends the other. `open` contains both
 * until then.
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
