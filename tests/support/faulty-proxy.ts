import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { joinSockets } from './join-sockets.ts'

/**
 * The behavior of a proxy: it passes connections on, refuses them, accepts them and stays silent, or sends the response
 * one byte at a time.
 */
export type ProxyBehaviour = 'passes' | 'refuses' | 'is silent' | 'trickles'

/** A proxy in front of a server, for outages that a test cannot cause in the server itself. */
export interface FaultyProxy {
  url: string
  /** Closes all connections, and treats new ones in this way. */
  behave(behaviour: ProxyBehaviour): Promise<void>
  close(): Promise<void>
}

const TRICKLE_MS = 200

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const { port: targetPort, hostname } = new URL(target)
  const sockets = new Set<Socket>()
  let behaviour: ProxyBehaviour = 'passes'
  const server = createServer((client) => {
    if (behaviour === 'is silent') return void keep(client, sockets)
    const upstream = connect(Number(targetPort), hostname)
    if (behaviour === 'passes') return joinSockets(client, upstream, sockets)
    for (const socket of [client, upstream]) keep(socket, sockets)
    client.pipe(upstream)
    trickle(upstream, client)
  })
  const port = await listen(server, 0)
  return {
    url: `http://127.0.0.1:${port}`,
    async behave(next) {
      behaviour = next
      if (next === 'refuses') server.close()
      else if (!server.listening) await listen(server, port)
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      if (server.listening) server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function keep(socket: Socket, sockets: Set<Socket>): void {
  sockets.add(socket)
  socket.on('error', () => {})
  socket.on('close', () => sockets.delete(socket))
}

function trickle(from: Socket, to: Socket): void {
  let waiting = Buffer.alloc(0)
  from.on('data', (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk])
  })
  const timer = setInterval(() => {
    to.write(waiting.subarray(0, 1))
    waiting = waiting.subarray(1)
  }, TRICKLE_MS)
  to.on('close', () => {
    clearInterval(timer)
    from.destroy()
  })
}
