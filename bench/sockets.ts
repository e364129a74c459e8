import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { readConfig } from '../server/config.ts'
import { systemSql } from '../server/database/system-sql.ts'
import { type Server, startServer } from '../server/main.ts'
import { createClient } from '../tests/support/client.ts'
import { startPostgres } from '../tests/support/postgres.ts'
import { UNLIMITED } from '../tests/support/process.ts'
import { NODE_OPTIONS, POSTGRES_SETTINGS } from './parley.ts'

/*
 * Measures live connections on PostgreSQL:
 *
 *   node bench/sockets.ts
 *
 * Opens 100 sockets for each of 20 members of one organization, each socket with its own session, and sockets of a
 * user from another organization. The server runs in its own process, as with `npm start`. Its memory is measured
 * before and after, following a garbage collection. A broadcast is timed from `publish` in the server until the last
 * socket here has received it.
 */

const MEMBERS = 20
const SOCKETS_OF_MEMBER = 100
const STRANGERS = 20
const WARM_UP_SOCKETS = 400
const BROADCASTS = 30
const OPENED_AT_ONCE = 50

/** Messages to the server's process, and their answers. */
type Question = 'prepare' | 'memory' | 'processor' | 'publish' | 'stop'
interface Answers {
  prepare: { url: string; members: string[]; strangers: string[] }
  memory: { residentBytes: number; heapBytes: number }
  /** CPU time so far, in milliseconds. */
  processor: { milliseconds: number }
  /** Milliseconds of the monotonic clock, which all processes share. */
  publish: { at: number }
  stop: null
}

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
  const dataDir = join(folder, 'postgres')
  mkdirSync(dataDir)
  const postgres = await startPostgres({ dataDir, settings: POSTGRES_SETTINGS })
  await postgres.createDatabase('parley')
  const child = fork(import.meta.filename, ['server'], {
    env: { PATH: process.env['PATH'], DATA_DIR: folder, DATABASE_URL: postgres.url('parley') },
    execArgv: [...NODE_OPTIONS, '--expose-gc'],
  })
  try {
    await measureSockets(child)
    await ask(child, 'stop')
  } finally {
    child.kill('SIGKILL')
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureSockets(child: ChildProcess): Promise<void> {
  const { url, members, strangers } = await ask(child, 'prepare')
  const warm = await openAll(url, members.slice(0, WARM_UP_SOCKETS))
  await broadcast(child, warm)
  for (const socket of warm) socket.close()
  await Promise.all(warm.map((socket) => once(socket, 'close')))

  const before = await ask(child, 'memory')
  const sockets = await openAll(url, members)
  const after = await ask(child, 'memory')
  const perSocket = (name: keyof Answers['memory']): string =>
    `${((after[name] - before[name]) / sockets.length / 1024).toFixed(1)} KB`
  console.log(`Sockets:                          ${sockets.length}`)
  console.log(`Resident memory per socket:       ${perSocket('residentBytes')}`)
  console.log(`Of that on the heap:              ${perSocket('heapBytes')}`)

  let heardByStrangers = 0
  for (const stranger of await openAll(url, strangers)) stranger.on('message', () => heardByStrangers++)
  const times: number[] = []
  const begin = await ask(child, 'processor')
  for (let count = 0; count < BROADCASTS; count++) times.push(await broadcast(child, sockets))
  const end = await ask(child, 'processor')
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): string => `${sorted[Math.floor((sorted.length - 1) * share)]?.toFixed(1)} ms`
  console.log(`Publish to the last socket:       p50 ${at(0.5)}, p90 ${at(0.9)}, max ${at(1)}`)
  const used = (end.milliseconds - begin.milliseconds) / BROADCASTS
  console.log(`Server CPU time per broadcast:    ${used.toFixed(1)} ms`)
  console.log(`Messages leaked to outsiders:     ${heardByStrangers}`)
}

async function openAll(url: string, tokens: string[]): Promise<WebSocket[]> {
  const sockets: WebSocket[] = []
  for (let begin = 0; begin < tokens.length; begin += OPENED_AT_ONCE) {
    const some = tokens.slice(begin, begin + OPENED_AT_ONCE).map(async (token) => {
      const headers = { authorization: `Bearer ${token}` }
      const socket = new WebSocket(`${url.replace('http', 'ws')}/api/ws`, {
        headers,
        perMessageDeflate: false,
      })
      await once(socket, 'message')
      return socket
    })
    sockets.push(...(await Promise.all(some)))
  }
  return sockets
}

/** Returns the milliseconds until the last socket has received a broadcast. */
async function broadcast(child: ChildProcess, sockets: WebSocket[]): Promise<number> {
  const last = new Promise<number>((resolve) => {
    let missing = sockets.length
    const arrived = (): void => {
      missing--
      if (missing === 0) resolve(sharedClock())
    }
    for (const socket of sockets) socket.once('message', arrived)
  })
  const { at } = await ask(child, 'publish')
  return (await last) - at
}

async function ask<Q extends Question>(child: ChildProcess, question: Q): Promise<Answers[Q]> {
  child.send(question)
  const [answer] = await once(child, 'message')
  return answer
}

const sharedClock = (): number => Number(process.hrtime.bigint()) / 1e6

/** Runs the server in the child process. */
async function serve(): Promise<void> {
  const server = await startServer(
    readConfig({ ...process.env, PORT: '0', SECRET: 's'.repeat(32), LOG_LEVEL: 'warn', ...UNLIMITED }),
  )
  let organizationId = ''
  const answers: { [Q in Question]: () => Promise<Answers[Q]> } = {
    async prepare() {
      const prepared = await prepare(server)
      organizationId = prepared.organizationId
      return { ...prepared, url: server.address }
    },
    async memory() {
      for (let count = 0; count < 3; count++) globalThis.gc?.()
      const { rss, heapUsed } = process.memoryUsage()
      return { residentBytes: rss, heapBytes: heapUsed }
    },
    async processor() {
      const { user, system } = process.cpuUsage()
      return { milliseconds: (user + system) / 1000 }
    },
    async publish() {
      const at = sharedClock()
      const data = { chat_id: crypto.randomUUID(), title: 'What the ship’s cook knows about bread' }
      const to = { permission: 'chats:read' } as const
      server.services.events.publish({ type: 'chat.title_updated', organizationId, data, to })
      return { at }
    },
    async stop() {
      await server.stop()
      return null
    },
  }
  process.on('message', async (question: Question) => process.send?.(await answers[question]()))
}

/** Creates users and one token per socket. */
async function prepare({ services, address }: Server) {
  const client = createClient(address)
  const sql = systemSql(services.database)
  const owner = await client.signUp()
  const members = [owner]
  while (members.length < MEMBERS) members.push(await client.signUp())
  await sql`
    insert into memberships (organization_id, user_id, role_id, status)
    select ${owner.organizationId}, u.id, r.id, 'active' from users u, roles r
    where u.id = any(${members.slice(1).map(({ userId }) => userId)})
      and r.organization_id = ${owner.organizationId} and r.name = 'member'`
  const tokensOf = async ({ userId, email }: { userId: string; email: string }): Promise<string[]> => {
    const sessions = await sql<{ id: string }[]>`
      insert into sessions (id, user_id, expires_at)
      select gen_random_uuid(), ${userId}, now() + interval '1 day' from generate_series(1, ${SOCKETS_OF_MEMBER})
      returning id`
    const sign = (sessionId: string) =>
      services.tokens.sign({ userId, sessionId, email, tokenId: crypto.randomUUID() })
    return Promise.all(sessions.map(({ id }) => sign(id)))
  }
  const tokens = await Promise.all(members.map(tokensOf))
  const stranger = await client.signUp()
  return {
    organizationId: owner.organizationId,
    members: tokens.flat(),
    strangers: (await tokensOf(stranger)).slice(0, STRANGERS),
  }
}

if (process.argv[2] === 'server') await serve()
else await measure()
