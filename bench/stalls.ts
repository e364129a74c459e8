import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createClient, type Person } from '../tests/support/client.ts'
import { findFreePort } from '../tests/support/free-port.ts'
import { FREEZES } from '../tests/support/freezes.ts'
import { UNLIMITED } from '../tests/support/process.ts'
import { startProvider } from '../tests/support/provider/index.ts'
import { readProcessTrees, resetPeakMemory, startNode } from './processes.ts'

/*
 * Measures how long hostile requests and slow clients delay other requests:
 *
 *   node bench/stalls.ts
 *   node bench/stalls.ts --directory ../another-checkout --only escape
 *
 * Polls /healthz every few milliseconds during the attack. The stall is the longest response time of a poll.
 */

const POLL_INTERVAL_MS = 5
/** Time of polling before and after the attack, so that a stall is measured completely. */
const SETTLE_MS = 200
const STALL_MS_MAX = 500
const BODY_BYTES = 4_000_000
const LARGE_BODY_BYTES = 19_000_000
const SLOW_CLIENTS = 500
const SLOW_MS = 5_000
/** Each slow client sends one byte per interval. */
const DRIP_MS = 50

const { values: flags } = parseArgs({
  options: {
    directory: { type: 'string', default: join(import.meta.dirname, '..') },
    only: { type: 'string', default: '' },
  },
})

interface Attack {
  name: string
  /** Returns a short description of the outcome. */
  run(url: string, person: Person): Promise<string>
}

interface HostileBody {
  name: string
  path: string
  /** Whether to send an access token. */
  signedIn: boolean
  body(): string
}

const repeat = (text: string, bytes: number): string =>
  text.repeat(Math.floor(bytes / Buffer.byteLength(text)))
const SURROGATES = '"\\ud83d\\ude00"'
const manyKeys = (bytes: number): string => {
  const count = Math.floor(bytes / 12)
  return `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join(',')}}`
}

const LOGIN = { path: '/api/auth/login', signedIn: false }
const CREATE = { path: '/api/instructions/create', signedIn: true }
const EMBED = { path: '/openai/v1/embeddings', signedIn: true }

/** To measure another hostile body, add a line. */
const HOSTILE_BODIES: HostileBody[] = [
  { name: 'login: zeros and an escape', ...LOGIN, body: () => `[${repeat('0,', BODY_BYTES)}${SURROGATES}]` },
  { name: 'login: empty objects', ...LOGIN, body: () => `[${repeat('{},', BODY_BYTES)}0]` },
  { name: 'zeros and an escape', ...CREATE, body: () => `[${repeat('0,', BODY_BYTES)}${SURROGATES}]` },
  { name: 'empty objects', ...CREATE, body: () => `[${repeat('{},', BODY_BYTES)}0]` },
  { name: 'different keys', ...CREATE, body: () => manyKeys(BODY_BYTES) },
  { name: 'one key of 3 MB', ...CREATE, body: () => `{"${repeat('k', 3_000_000)}":0}` },
  { name: 'runs of 299 digits', ...CREATE, body: () => `["${repeat(`${'1'.repeat(299)}a`, BODY_BYTES)}"]` },
  { name: 'one number of 4 MB', ...CREATE, body: () => `[${repeat('1', BODY_BYTES)}]` },
  { name: 'one text of escapes', ...CREATE, body: () => `["${repeat('\\ud83d\\ude00', BODY_BYTES)}"]` },
  { name: 'embeddings: zeros', ...EMBED, body: () => `[${repeat('0,', LARGE_BODY_BYTES)}${SURROGATES}]` },
  {
    name: 'embeddings: 490,000 objects',
    ...EMBED,
    body: () => `[${repeat('{},', 490_000 * 3)}${SURROGATES}]`,
  },
]

const sendBody = ({ name, path, signedIn, body }: HostileBody): Attack => ({
  name,
  run: (url, person) =>
    fetch(`${url}${path}${signedIn ? `?org_id=${person.organizationId}` : ''}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(signedIn && { authorization: `Bearer ${person.token}` }),
      },
      body: body(),
    }).then(
      async (response) => `${response.status}, ${(await response.arrayBuffer()).byteLength} bytes`,
      () => 'connection closed',
    ),
})

const HEAD = 'POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n'

/** Clients that send byte by byte, and clients that don't read the response. */
const SLOW: Attack[] = [
  { name: `${SLOW_CLIENTS} slow heads`, run: (url) => hold(url, 'GET /healthz HTTP/1.1\r\nx-slow: ') },
  { name: `${SLOW_CLIENTS} slow bodies`, run: (url) => hold(url, `${HEAD}content-length: 60000\r\n\r\n{"`) },
  {
    name: `${SLOW_CLIENTS} slow chunks`,
    run: (url) => hold(url, `${HEAD}transfer-encoding: chunked\r\n\r\n`, '1\r\na\r\n'),
  },
  {
    name: `${SLOW_CLIENTS} that do not read`,
    run: (url) => hold(url, 'GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n', '', false),
  },
]

/** Opens the connections and keeps them busy. Returns how many the server has closed. */
async function hold(url: string, head: string, drip = 'a', reads = true): Promise<string> {
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: SLOW_CLIENTS }, (): Socket => {
    const socket = connect(Number(port), hostname, () => socket.write(head))
    socket.on('error', () => {})
    return reads ? socket.resume() : socket.pause()
  })
  const dripping = setInterval(() => {
    for (const socket of sockets) if (socket.writable && drip) socket.write(drip)
  }, DRIP_MS)
  await sleep(SLOW_MS)
  clearInterval(dripping)
  const open = sockets.filter(({ readyState }) => readyState === 'open').length
  for (const socket of sockets) socket.destroy()
  return `${SLOW_CLIENTS - open} of ${SLOW_CLIENTS} closed`
}

/** Nothing happens, for comparison. */
const IDLE: Attack = { name: 'idle', run: () => sleep(SLOW_MS, 'nothing') }

const provider = await startProvider()
const ATTACKS: Attack[] = [
  IDLE,
  ...FREEZES.map(
    ({ name, run }): Attack => ({
      name,
      run: (url, person) => run(createClient(url), person, provider.url),
    }),
  ),
  ...HOSTILE_BODIES.map(sendBody),
  ...SLOW,
]

async function measure(url: string, pid: number, person: Person, { name, run }: Attack): Promise<void> {
  let longestMs = 0
  let isOver = false
  const poll = async (): Promise<void> => {
    while (!isOver) {
      const begin = performance.now()
      await (await fetch(`${url}/healthz`)).arrayBuffer()
      longestMs = Math.max(longestMs, performance.now() - begin)
      await sleep(POLL_INTERVAL_MS)
    }
  }
  const polls = poll()
  await sleep(SETTLE_MS)
  longestMs = 0
  resetPeakMemory([pid])
  const before = readProcessTrees([pid]).peakBytes
  const outcome = await run(url, person)
  await sleep(SETTLE_MS)
  isOver = true
  await polls
  const megabytes = Math.max(0, readProcessTrees([pid]).peakBytes - before) / 1e6
  const verdict = longestMs <= STALL_MS_MAX ? '' : '  TOO LONG'
  console.log(
    `${name.padEnd(32)} ${longestMs.toFixed(0).padStart(7)} ms ${megabytes.toFixed(0).padStart(6)} MB  ${outcome}${verdict}`,
  )
}

const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
const port = await findFreePort()
const url = `http://127.0.0.1:${port}`
const server = startNode(['server/launch.cjs', 'start'], {
  directory: resolve(flags.directory),
  environment: {
    PORT: String(port),
    DATA_DIR: folder,
    CONSOLE_BUILD: '0',
    ALLOW_PRIVATE_NETWORK: '127.0.0.1/32',
    ...UNLIMITED,
  },
  logFile: join(folder, 'parley.log'),
})
try {
  await server.ready(`${url}/readyz`)
  const person = await createClient(url).signUp()
  console.log(`${'Attack'.padEnd(32)}      stall  memory  outcome`)
  for (const attack of ATTACKS.filter(({ name }) => name === IDLE.name || name.includes(flags.only)))
    await measure(url, server.pid, person, attack)
} finally {
  await server.stop()
  await provider.close()
  rmSync(folder, { recursive: true, force: true })
}
