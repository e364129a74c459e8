import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { kindsOf, ledgerOf } from '#tests/support/chats.ts'
import type { Answer, Client } from '#tests/support/client.ts'
import { copyEmbedded } from '#tests/support/embedded.ts'
import { signUpWithModel } from '#tests/support/models.ts'
import { type ServerProcess, startProcess } from '#tests/support/process.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { createDatabase } from '#tests/support/server.ts'
import { onEmbedded, onPostgres } from '../kill/kill-server.ts'

/* The same request is sent a thousand times concurrently, to two processes on one database. */

const RACES = 1_000
const RACES_EMBEDDED = 100
/** The test starts two processes, and the machine may be busy. */
const TIMEOUT_MS = 120_000

const dataDir = mkdtempSync(join(tmpdir(), 'parley-idempotency-races-'))
let provider: Awaited<ReturnType<typeof startProvider>>
let database: Awaited<ReturnType<typeof createDatabase>>
let servers: ServerProcess[]

beforeAll(async () => {
  provider = await startProvider()
  database = await createDatabase()
  const { environment } = database
    ? onPostgres(database.url, provider, dataDir)
    : onEmbedded(provider, dataDir)
  servers = [await startProcess(environment)]
  if (database) servers.push(await startProcess({ ...environment, DATA_DIR: join(dataDir, 'second') }))
}, TIMEOUT_MS)
afterAll(async () => {
  for (const server of servers) await server.stop()
  await database?.drop()
  await provider.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const race = (
  among: Client[],
  times: number,
  { path, body, token }: { path: string; body: unknown; token: string },
  key: string = randomUUID(),
): Promise<Answer[]> =>
  Promise.all(
    Array.from({ length: times }, (_, place) =>
      (among[place % among.length] as Client).call('POST', path, {
        token,
        body,
        headers: { 'idempotency-key': key },
      }),
    ),
  )

async function makesOneChat(among: Client[], times: number): Promise<void> {
  const client = among[0] as Client
  const person = await client.signUp()
  const org = `org_id=${person.organizationId}`
  const answers = await race(among, times, {
    path: `/api/chat?${org}`,
    body: { title: 't' },
    token: person.token,
  })
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(answers[0]?.status).toBe(201)
  expect(answers.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1)
  const { body } = await client.call('GET', `/api/chat/list?${org}`, { token: person.token })
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([answers[0]?.body.id])
}

test('has one effect and a thousand equal responses', () => makesOneChat(servers, RACES), TIMEOUT_MS)

test(
  'calls a model once, with one charge',
  async () => {
    const client = servers[0] as Client
    const { person } = await signUpWithModel(client, provider, 'emu-n10-gap20')
    const request = {
      path: `/api/chat/prompt?org_id=${person.organizationId}`,
      body: { text: 'Bees' },
      token: person.token,
    }
    const key = randomUUID()
    const answers = await race(servers, 60, request, key)
    const done = answers.filter(({ status }) => status === 200)
    expect(new Set(done.map(({ text }) => text)).size).toBe(1)
    expect(done.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(new Set(refused.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
      new Set(refused.length > 0 ? ['409 request.in_progress'] : []),
    )
    for (const again of await race(servers, 10, request, key)) expect(again.text).toBe(done[0]?.text)
    expect(provider.stats.streams).toBe(1)
    expect(kindsOf(await ledgerOf(client, person))).toEqual(['HOLD', 'DEBIT'])
  },
  TIMEOUT_MS,
)

test(
  'with two bodies, runs one request and refuses the other',
  async () => {
    const client = servers[0] as Client
    const person = await client.signUp()
    const path = `/api/chat?org_id=${person.organizationId}`
    const key = randomUUID()
    const [a, b] = await Promise.all(
      ['a', 'b'].map((title) => race(servers, 20, { path, body: { title }, token: person.token }, key)),
    )
    expect([a, b].map((answers) => [...new Set(answers?.map(({ status }) => status))]).sort()).toEqual([
      [201],
      [409],
    ])
  },
  TIMEOUT_MS,
)

test(
  'behaves the same on the embedded database',
  async () => {
    if (!database) return
    const folder = join(dataDir, 'embedded')
    await copyEmbedded(folder)
    const server = await startProcess(onEmbedded(provider, folder).environment)
    try {
      await makesOneChat([server], RACES_EMBEDDED)
      const { person } = await signUpWithModel(server, provider, 'emu-n3')
      const request = {
        path: `/api/chat/prompt?org_id=${person.organizationId}`,
        body: { text: 'Bees' },
        token: person.token,
      }
      await Promise.all(Array.from({ length: 12 }, () => race([server], 2, request)))
      const kinds = kindsOf(await ledgerOf(server, person))
      expect(kinds.filter((kind) => kind === 'DEBIT')).toHaveLength(12)
      const chats = Array.from({ length: 12 }, (_, place) =>
        race([server], 2, {
          path: `/api/kb/create?org_id=${person.organizationId}`,
          body: { name: `kb ${place}`, description: '', embedding_model: 'local', sources: [] },
          token: person.token,
        }),
      )
      expect((await Promise.all(chats)).flat().map(({ status }) => status)).toEqual(Array(24).fill(201))
    } finally {
      await server.stop()
    }
  },
  TIMEOUT_MS,
)
