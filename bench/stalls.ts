import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createClient, type Person } from '../tests/support/client.ts'
import { findFreePort } from '../tests/support/free-port.ts'
import { UNLIMITED } from '../tests/support/process.ts'
import { NODE_OPTIONS } from './parley.ts'
import { readProcessTree, resetPeakMemory, startNode } from './processes.ts'

/*
 * Measures how long one hostile request holds up all others:
 *
 *   node bench/stalls.ts
 *   node bench/stalls.ts --directory ../another-checkout --only escape
 *
 * Polls /healthz every few milliseconds while the request is under way. The stall is the longest wait of a poll.
 */

const POLL_INTERVAL_MS = 5
/** Polls before and after the request, so that a stall is seen from its beginning to its end. */
const SETTLE_MS = 200
const STALL_MS_MAX = 500
const BODY_BYTES = 4_000_000
const LARGE_BODY_BYTES = 19_000_000

const { values: flags } = parseArgs({
  options: {
    directory: { type: 'string', default: join(import.meta.dirname, '..') },
    only: { type: 'string', default: '' },
  },
})

interface HostileCase {
  name: string
  path: string
  /** Sends an access token. */
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

/** To measure another hostile request, add a line. */
const CASES: HostileCase[] = [
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

async function measure(url: string, pid: number, person: Person, hostile: HostileCase): Promise<void> {
  const body = hostile.body()
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
  resetPeakMemory(pid)
  const before = readProcessTree(pid).peakBytes
  const query = hostile.signedIn ? `?org_id=${person.organizationId}` : ''
  const outcome = await fetch(`${url}${hostile.path}${query}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(hostile.signedIn && { authorization: `Bearer ${person.token}` }),
    },
    body,
  }).then(
    async (response) => `${response.status}, ${(await response.arrayBuffer()).byteLength} bytes`,
    () => 'connection closed',
  )
  await sleep(SETTLE_MS)
  isOver = true
  await polls
  const megabytes = Math.max(0, readProcessTree(pid).peakBytes - before) / 1e6
  const verdict = longestMs <= STALL_MS_MAX ? '' : '  TOO LONG'
  console.log(
    `${hostile.name.padEnd(32)} ${longestMs.toFixed(0).padStart(7)} ms ${megabytes.toFixed(0).padStart(6)} MB  ${outcome}${verdict}`,
  )
}

const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
const port = await findFreePort()
const url = `http://127.0.0.1:${port}`
const server = startNode([...NODE_OPTIONS, 'server/cli.ts', 'start'], {
  directory: resolve(flags.directory),
  environment: { PORT: String(port), DATA_DIR: folder, CONSOLE_BUILD: '0', ...UNLIMITED },
  logFile: join(folder, 'parley.log'),
})
try {
  await server.ready(`${url}/readyz`)
  const person = await createClient(url).signUp()
  console.log(`${'Request'.padEnd(32)}      stall  memory  answer`)
  for (const hostile of CASES.filter(({ name }) => name.includes(flags.only)))
    await measure(url, server.pid, person, hostile)
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
