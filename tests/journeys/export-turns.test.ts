import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** Exports that clients don't read: their number and memory use are limited, and they end after a timeout. */

const FILE_BYTES = 24 * 1024 * 1024
const STALL_MS = 400

let server: TestServer
let impatient: TestServer
let people: Person[]
beforeAll(async () => {
  server = await startTestServer()
  people = []
  while (people.length < 5) people.push(await newPersonWithFile(server))
  impatient = await startTestServer({}, { stallMs: STALL_MS })
})
afterAll(() => Promise.all([server.stop(), impatient.stop()]))

const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const person of people) await expect.poll(() => statusOf(server, person)).toBe(200)
})

async function newPersonWithFile(on: TestServer): Promise<Person> {
  const person = await on.signUp()
  const bytes = Buffer.concat([Buffer.from('RIFF\0\0\0\0AVI LIST'), randomBytes(FILE_BYTES)])
  const { status } = await on.upload(person, { name: 'film.avi', bytes })
  expect(status).toBe(201)
  return person
}

const pathOf = ({ organizationId }: Person): string => `/api/org/export?org_id=${organizationId}`

/** Requests an export and reads only its beginning. */
async function askUnread(on: TestServer, person: Person): Promise<Socket> {
  const { hostname, port } = new URL(on.url)
  const socket = connect(Number(port), hostname).on('error', () => {})
  sockets.push(socket)
  socket.write(`GET ${pathOf(person)} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${person.token}\r\n\r\n`)
  const [beginning] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  expect(beginning.toString('latin1')).toContain('HTTP/1.1 200')
  return socket
}

async function ask(on: TestServer, { token, ...person }: Person) {
  const leaving = new AbortController()
  const { status, headers } = await fetch(on.url + pathOf({ token, ...person }), {
    headers: { authorization: `Bearer ${token}` },
    signal: leaving.signal,
  })
  leaving.abort()
  return { status, retryAfter: Number(headers.get('retry-after')) }
}
const statusOf = async (on: TestServer, person: Person): Promise<number> => (await ask(on, person)).status

describe('an export that its client does not read', () => {
  test('blocks other exports of its user until the client disconnects', async () => {
    const [person, other] = people as [Person, Person]
    const socket = await askUnread(server, person)
    expect(await ask(server, person)).toMatchObject({ status: 409, retryAfter: 30 })
    expect(await statusOf(server, other)).toBe(200)
    socket.destroy()
    await expect.poll(() => statusOf(server, person)).toBe(200)
  })

  test('counts toward the limit of four, and keeps no file in memory', async () => {
    const before = process.memoryUsage().arrayBuffers
    for (const person of people.slice(0, 4)) await askUnread(server, person)
    expect(await ask(server, people[4] as Person)).toEqual({ status: 503, retryAfter: 30 })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(FILE_BYTES)
  })

  test('is ended after a timeout', async () => {
    const person = await newPersonWithFile(impatient)
    const socket = await askUnread(impatient, person)
    // A client that does not read notices the end of its connection only when it writes.
    const writing = setInterval(() => socket.write('\r\n'), 100)
    await new Promise((resolve) => socket.once('close', resolve))
    clearInterval(writing)
    await expect.poll(() => statusOf(impatient, person)).toBe(200)
  })
})
