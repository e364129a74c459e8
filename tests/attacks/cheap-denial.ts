import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Person } from '#tests/support/client.ts'
import type { Row } from './row.ts'
import { memoryOf } from './server-memory.ts'
import type { Stage } from './stage.ts'
import { watchOthers } from './watch-others.ts'

const MEGABYTE = 1024 * 1024
const SOCKETS = 200
/** Milliseconds for which slow clients keep their connections open. */
const HELD_MS = 1_500
const GROWTH_BYTES_MAX = 400 * MEGABYTE
interface Flood {
  what: string
  /** Runs the attack. Returns a description of the server's fault, or null if there is none. */
  run(stage: Stage, person: Person): Promise<string | null>
}

const repeat = (text: string, bytes: number): string => text.repeat(Math.ceil(bytes / text.length))
/** Strings that make vulnerable regular expressions backtrack the most. */
const LADDERS = [
  `${repeat('a', 4_000)}!`,
  repeat('a@', 2_000),
  `a@${repeat('a.', 2_000)}`,
  repeat(' ', 4_000),
  `${repeat('(', 2_000)}${repeat(')', 2_000)}`,
  repeat('"\\', 2_000),
  repeat('-"', 2_000),
  repeat('%25', 3_000),
]

/** Request bodies that must not cost the server disproportionately more than the client. */
const BODIES: [what: string, body: string, expected: number[]][] = [
  ['4 MB of zeros and an emoji', `[${repeat('0,', 4 * MEGABYTE - 20)}"\\ud83d\\ude00"]`, [400, 413]],
  ['4 MB of empty objects', `[${repeat('{},', 4 * MEGABYTE - 20)}0]`, [400, 413]],
  ['100,000 brackets', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, [400, 413]],
  ['100,000 nested objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, [400, 413]],
  ['60,000 keys', `{${Array.from({ length: 60_000 }, (_, index) => `"k${index}":0`).join()}}`, [400, 413]],
  ['a key of 3 MB', `{"${repeat('k', 3 * MEGABYTE)}":1}`, [400, 413]],
  ['a number of a million digits', `{"a":${'9'.repeat(1_000_000)}}`, [400, 413]],
]

const floods = (): Flood[] => [
  ...BODIES.flatMap(([what, body, expected]): Flood[] =>
    (['/api/auth/login', '/api/conversation/create'] as const).map((path) => ({
      what: `${what} at ${path}`,
      async run(stage, person) {
        const isPublic = path === '/api/auth/login'
        const url = isPublic ? path : `${path}?org_id=${person.organizationId}`
        const headers = { 'content-type': 'application/json' }
        // The server may reject the request and close the connection before it has received the whole body.
        const { status, text } = await stage
          .call('POST', url, { body, headers, ...(!isPublic && { token: person.token }) })
          .catch(() => ({ status: 413, text: '' }))
        if (isPublic && body.length > 64 * 1024 && status !== 413) return `${status} instead of 413`
        if (!expected.includes(status)) return `${status} ${text.slice(0, 100)}`
        return text.length > 10_000 ? `a response of ${text.length} characters` : null
      },
    })),
  ),
  ...LADDERS.map(
    (text): Flood => ({
      what: `patterns with ${JSON.stringify(text.slice(0, 12))}…`,
      run: (stage, person) => everywhere(stage, person, text),
    }),
  ),
  {
    what: `${SOCKETS} endless headers`,
    run: (stage) => hold(stage, 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: '),
  },
  {
    what: `${SOCKETS} bodies that never arrive`,
    run: (stage) =>
      hold(
        stage,
        'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{',
      ),
  },
  {
    what: `${SOCKETS} endless chunks`,
    run: (stage) =>
      hold(
        stage,
        'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nFFFF\r\n{',
      ),
  },
  {
    what: `${SOCKETS} clients that never read`,
    run: (stage) => hold(stage, repeat('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n', 400)),
  },
  { what: `${SOCKETS} silent sockets`, run: (stage) => hold(stage, '') },
  {
    what: `${SOCKETS} WebSockets that never authenticate`,
    run: (stage) =>
      hold(
        stage,
        'GET /api/ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
      ),
  },
]

/**
 * Sends requests that are cheap for the client. Meanwhile, the server must serve other clients and must not exceed a
 * memory limit.
 */
export const cheapDenial: Row = {
  name: 'cheap-denial',
  cases: { full: Number.POSITIVE_INFINITY, commit: 7 },
  async run(stage, { cases }) {
    const failures: string[] = []
    const person = await stage.signUp()
    const before = memoryOf(stage)
    const all = floods()
    const step = Math.max(1, Math.floor(all.length / cases))
    const chosen = all.filter((_, index) => index % step === 0)
    for (const { what, run } of chosen) {
      const others = watchOthers(stage, person)
      const fault = await run(stage, person).catch((error: unknown) => String(error))
      if (fault !== null) failures.push(`${what}: ${fault}`)
      const stopped = await others.end()
      if (stopped !== null) failures.push(`${what}: ${stopped}`)
    }
    const growth = memoryOf(stage) - before
    if (growth > GROWTH_BYTES_MAX) failures.push(`the server's memory grew by ${growth} bytes`)
    return { cases: chosen.length, failures }
  },
  brokenBy: [
    {
      without: 'the body limit of public routes',
      edits: [
        {
          file: 'server/platform/http/body-limits.ts',
          text: 'export const PUBLIC_BODY: BodyLimits = { bytes: 64 * 1024, values: 100_000 }',
          replacement: 'export const PUBLIC_BODY: BodyLimits = { bytes: 64 * 1024 * 1024, values: 100_000 }',
        },
      ],
    },
    {
      without: 'the depth limit of bodies',
      edits: [
        {
          file: 'server/platform/http/json-body.ts',
          text: 'const DEPTH_MAX = 64',
          replacement: 'const DEPTH_MAX = 1e9',
        },
      ],
    },
  ],
}

/**
 * Sends a string to every input that the server matches against a pattern: addresses, headers, searches, filters and
 * names.
 */
async function everywhere(stage: Stage, person: Person, text: string): Promise<string | null> {
  const { token, organizationId } = person
  const short = text.slice(0, 250)
  const header = text.replace(/[^\x20-\x7e]/g, '').slice(0, 6_000)
  const answers = await Promise.all([
    stage.call('POST', '/api/auth/login', { body: { email: short, password: 'a wrong horse' } }),
    stage.call('POST', '/api/auth/forgot_password', { body: { email: short } }),
    stage.call(
      'GET',
      `/api/chat/search?org_id=${organizationId}&query=${encodeURIComponent(text.slice(0, 4_000))}`,
      { token },
    ),
    stage.call('GET', `/api/users/find?email=${encodeURIComponent(short)}`, { token }),
    stage.call('GET', `/embed/${encodeURIComponent(text.slice(0, 4_000))}`),
    stage.call('GET', '/', {
      headers: {
        accept: header,
        'accept-language': header.slice(0, 500),
        'accept-encoding': header.slice(0, 500),
        cookie: header.slice(0, 500),
        'x-forwarded-for': header.slice(0, 500),
        'user-agent': header.slice(0, 500),
      },
    }),
    stage.upload(person, { name: `${short.slice(0, 200)}.txt`, bytes: text, type: short }),
  ])
  const fault = answers.find(({ status }) => status >= 500 && status !== 503)
  return fault ? `${fault.status} ${fault.text.slice(0, 100)}` : null
}

/** Opens sockets that send these bytes, and then neither read nor write. */
async function hold(stage: Stage, bytes: string): Promise<string | null> {
  const { hostname, port } = new URL(stage.url)
  const sockets: Socket[] = []
  try {
    for (let count = 0; count < SOCKETS; count++) {
      const socket = connect(Number(port), hostname).on('error', () => {})
      sockets.push(socket.pause())
      await Promise.race([once(socket, 'connect'), once(socket, 'close')])
      if (bytes !== '') socket.write(bytes)
    }
    await sleep(HELD_MS)
    const { status } = await stage.call('GET', '/healthz')
    return status === 200 ? null : `a new client gets ${status}`
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}
