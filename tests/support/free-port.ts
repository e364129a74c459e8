import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * The first port of all ranges. The ranges lie below the ephemeral ports, so no outgoing connection can take a port
 * between the check and its use.
 */
const FIRST = 12_000
const PER_WORKER = 1_000
const WORKERS_MAX = 16

/** Gives each test worker its own range of ports. Otherwise, a test could reach the server of another worker. */
const worker = Number(process.env['VITEST_POOL_ID'] ?? 0) % WORKERS_MAX
let offset = Math.floor(Math.random() * PER_WORKER)

/** Returns a free port of 127.0.0.1, for programs that cannot choose a free port themselves. */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < PER_WORKER; tries++) {
    offset = (offset + 1) % PER_WORKER
    const port = FIRST + worker * PER_WORKER + offset
    if (await isFree(port)) return port
  }
  throw new Error('this worker has no free port')
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
