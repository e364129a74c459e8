import { once } from 'node:events'
import { createServer as createHttp } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

/**
 * Two servers on the same port: a trap at 127.0.0.1 and ::1 that the product must not reach, and an allowed site at
 * `allowed`.
 */
export interface Trap {
  port: number
  /**
   * The address 127.0.0.2. It is a loopback address too, but ALLOW_PRIVATE_NETWORK can allow exactly this address.
   */
  allowed: string
  /** Returns the number of connections to the trap. */
  connections(): number
  /** Returns the number of requests to the allowed site. */
  visits(): number
  close(): Promise<void>
}

const ALLOWED = '127.0.0.2'

export async function openTrap(): Promise<Trap> {
  let [connections, visits] = [0, 0]
  const sockets = new Set<Socket>()
  const catchAll = (): Server =>
    createServer((socket) => {
      connections += 1
      sockets.add(socket)
      socket.on('error', () => {})
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 16\r\nConnection: close\r\n\r\ntrap-was-reached')
    })
  const site = createHttp((request, response) => {
    visits += 1
    request.resume()
    const inner = `http://127.0.0.1:${port}/inside`
    if (request.url?.includes('redirect')) response.writeHead(307, { location: inner }).end()
    // Acts as an MCP server whose authorization metadata (RFC 9728) is at the trap.
    else
      response
        .writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${inner}"` })
        .end('<a href="/b">b</a>')
  })
  site.on('connection', (socket) => sockets.add(socket))
  const inner = catchAll()
  await once(inner.listen(0, '127.0.0.1'), 'listening')
  const { port } = inner.address() as AddressInfo
  await once(site.listen(port, ALLOWED), 'listening')
  const inner6 = catchAll().on('error', () => {}) // fails without IPv6
  inner6.listen(port, '::1')
  return {
    port,
    allowed: ALLOWED,
    connections: () => connections,
    visits: () => visits,
    async close() {
      for (const socket of sockets) socket.destroy()
      await Promise.all([inner, site, inner6].map((server) => new Promise((done) => server.close(done))))
    },
  }
}
