import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type Client, createClient } from './client.ts'
import { joinSockets } from './join-sockets.ts'
import { startTestServer, type TestServer } from './server.ts'

/** Two instances that serve clients and one that works in the background, on one database and one Redis. */
export interface Instances {
  /** Clients of a load balancer, which leads each new connection to the next instance. */
  front: Client
  apis: [TestServer, TestServer]
  worker: TestServer
  stop(): Promise<void>
}

export async function startInstances(environment: Record<string, string>): Promise<Instances> {
  const start = (ROLE: string): Promise<TestServer> => startTestServer({ ...environment, ROLE })
  const worker = await start('worker')
  const apis: Instances['apis'] = [await start('api'), await start('api')]
  const balancer = await startBalancer(apis.map(({ url }) => url))
  return {
    front: createClient(balancer.url),
    apis,
    worker,
    async stop() {
      await balancer.close()
      for (const one of [...apis, worker]) await one.stop()
    },
  }
}

/** Starts a proxy that leads each new connection to the next of these servers. */
export async function startBalancer(urls: string[]): Promise<{ url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  let count = 0
  const server = createServer((client) => {
    const { port, hostname } = new URL(urls[count++ % urls.length] as string)
    joinSockets(client, connect(Number(port), hostname), sockets)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
