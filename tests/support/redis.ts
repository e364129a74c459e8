import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { findFreePort } from './free-port.ts'

const START_TIMEOUT_MS = 60_000
const POLL_INTERVAL_MS = 20

export interface RedisServer {
  url: string
  pid: number
  stop(): Promise<void>
}

/** Returns the path of `redis-server` on the PATH, or undefined if it isn't installed. */
export function findRedis(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.map((folder) => join(folder, 'redis-server')).find((program) => existsSync(program))
}

const NODES = 3
const SLOTS = 16_384

/** Starts a Redis Cluster of three masters on loopback. `url` is that of one node. */
export async function startRedisCluster(): Promise<
  Pick<RedisServer, 'url' | 'stop'> & { nodes: RedisServer[] }
> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-redis-'))
  const nodes: RedisServer[] = []
  const ports: string[] = []
  for (let index = 0; index < NODES; index++) {
    const clusterPort = String(await findFreePort())
    const options = ['--cluster-enabled', 'yes', '--cluster-config-file', join(folder, `${index}.conf`)]
    nodes.push(await startRedis(undefined, [...options, '--cluster-port', clusterPort]))
    ports.push(clusterPort)
  }
  const clients = await Promise.all(nodes.map(({ url }) => createClient({ url }).connect()))
  for (const [index, client] of clients.entries()) {
    const [first, end] = [index, index + 1].map((place) => Math.floor((place * SLOTS) / NODES))
    await client.clusterAddSlotsRange({ start: first as number, end: (end as number) - 1 })
    const port = new URL(nodes[index]?.url ?? '').port
    await clients[0]?.sendCommand(['CLUSTER', 'MEET', '127.0.0.1', port, ports[index] as string])
  }
  for (const client of clients) {
    while (!(await client.clusterInfo()).includes('cluster_state:ok')) await sleep(POLL_INTERVAL_MS)
    client.destroy()
  }
  return {
    nodes,
    url: nodes[0]?.url as string,
    async stop() {
      for (const node of nodes) await node.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Starts a Redis server on loopback without persistence. Throws if `redis-server` isn't installed. */
export async function startRedis(onPort?: number, options: string[] = []): Promise<RedisServer> {
  const program = findRedis()
  if (program === undefined) throw new Error('no redis-server on the PATH')
  const port = onPort ?? (await findFreePort())
  const child = spawn(
    program,
    [
      ...['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
      ...['--daemonize', 'no', ...options],
    ],
    { stdio: 'ignore', cwd: '/' },
  )
  const killChild = (): void => void child.kill('SIGKILL')
  process.once('exit', killChild)
  const deadline = Date.now() + START_TIMEOUT_MS
  while (!(await answersPing(port))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      killChild()
      throw new Error('redis-server does not start')
    }
    await sleep(POLL_INTERVAL_MS)
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: child.pid as number,
    async stop() {
      process.off('exit', killChild)
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** Returns whether a Redis server on that port accepts commands. */
async function answersPing(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    socket.write('PING\r\n')
    const [answer] = await once(socket, 'data')
    return String(answer).startsWith('+PONG')
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
