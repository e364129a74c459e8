import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { addKey } from '#tests/support/admission.ts'
import type { Person } from '#tests/support/client.ts'
import { expectSoundLedger } from '#tests/support/ledger-invariants.ts'
import { signUpWithModel } from '#tests/support/models.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { createRandom } from '#tests/support/random.ts'
import { sendRaw } from '#tests/support/raw-request.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/*
 * Clients disconnect at random moments: while they send, while a transaction waits for the only connection of the embedded
 * database, while a reply streams. Nothing that a request held may stay held.
 */

const REQUESTS = 2_000
const AT_ONCE = 50
/** Longer than a request takes while others wait, so that connections drop in every phase of it. */
const DROPPED_WITHIN_MS = 60
const SEED = 38
vi.setConfig({ testTimeout: 300_000 })

let provider: Awaited<ReturnType<typeof startProvider>>
let server: TestServer
let person: Person
let requests: string[]

beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer({ DATABASE_URL: '' })
  const signedUp = await signUpWithModel(server, provider, 'emu-n5-gap2')
  person = signedUp.person
  const { sender } = await addKey(server, person)
  const organization = `org_id=${person.organizationId}`
  requests = [
    request('GET', `/api/chat/list?${organization}`, sender),
    request('GET', `/api/chat/search?${organization}&q=hello`, person),
    request('POST', `/api/chat?${organization}`, sender, { title: 'Dropped' }),
    request('POST', `/api/chat/send_message?${organization}&model_id=${signedUp.modelId}`, sender, {
      content: 'Hi',
    }),
    request('PUT', '/api/users/me', person, { first_name: 'Renamed' }),
  ]
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

function request(method: string, path: string, { token }: Person, body?: object): string {
  const content = body ? JSON.stringify(body) : ''
  const fields = ['Host: parley.test', `Authorization: Bearer ${token}`, 'Content-Type: application/json']
  return `${method} ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\nContent-Length: ${content.length}\r\n\r\n${content}`
}

test(`on the embedded database, ${REQUESTS} requests whose clients leave at random moments hold nothing for ever`, async () => {
  const { sql } = server.server.services.database
  for (const text of requests) {
    const answer = await (await sendRaw(server.url, text)).answer()
    expect(answer.text).toMatch(/^HTTP\/1.1 20[01]/)
  }
  const random = createRandom(SEED)
  let sent = 0
  const sendSome = async (): Promise<void> => {
    while (sent < REQUESTS) {
      const text = requests[sent++ % requests.length] as string
      // One of ten clients leaves before it has sent everything.
      const { socket } = await sendRaw(
        server.url,
        random() < 0.1 ? text.slice(0, random() * text.length) : text,
      )
      await sleep(random() * DROPPED_WITHIN_MS)
      socket.destroy()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendSome))

  const openHolds = async () => {
    const [row] = await sql`select count(*)::int as count from open_holds`
    return row?.['count']
  }
  await expect.poll(openHolds).toBe(0)
  await expectSoundLedger(sql, person.organizationId)
  const answer = await server.call('GET', `/api/chat/list?org_id=${person.organizationId}`, {
    token: person.token,
  })
  expect(answer.status).toBe(200)
  expect(answer.body.data.length).toBeGreaterThan(0)
})
