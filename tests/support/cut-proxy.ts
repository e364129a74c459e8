import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { joinSockets } from './join-sockets.ts'

/** A proxy in front of a server. Tests can cut its connections to simulate a network failure. */
export interface CutProxy {
  url: string
  leadTo(server: string): void
  /** Destroys all connections mid-stream. Rejects new connections until `mend` is called. */
  cut(): void
  mend(): void
  close(): Promise<void>
}

export async function startCutProxy(): Promise<CutProxy> {
  let target = new URL('http://127.0.0.1:1')
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((client) => {
    if (isCut) {
      client.resetAndDestroy()
      return
    }
    const upstream = connect(Number(target.port), target.hostname)
    joinSockets(client, upstream, sockets)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = (): void => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(server) {
      target = new URL(server)
    },
    cut,
    mend() {
      isCut = false
    },
    async close() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
