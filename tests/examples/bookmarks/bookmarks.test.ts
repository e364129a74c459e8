import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { bookmarkRoutes } from './routes.ts'

const PAGE = 'https://example.com/tides'

let server: TestServer
let person: Person
beforeAll(async () => {
  server = await startTestServer({}, { routes: bookmarkRoutes })
  const migration = readFileSync(join(import.meta.dirname, 'migration.sql'), 'utf8')
  await server.server.services.database.sql.unsafe(migration)
  person = await server.signUp()
})
afterAll(() => server.stop())

const save = (body: object, { token }: Partial<Person> = person) =>
  server.call('POST', `/api/bookmarks/create?org_id=${person.organizationId}`, {
    ...(token && { token }),
    body,
  })
const list = ({ token, organizationId }: Person) =>
  server.call('GET', `/api/bookmarks/list?org_id=${organizationId}`, { token })

test('a saved bookmark is in the list of its user', async () => {
  const saved = await save({ url: PAGE })
  expect(saved.status).toBe(201)
  expect((await list(person)).body.data).toEqual([saved.body])
})

test('a bookmark needs an address', async () => {
  const { status, body } = await save({ url: 'tides' })
  expect([status, body.errors[0].path]).toEqual([400, 'url'])
})

test('strangers neither save nor list', async () => {
  const stranger = await server.signUp()
  expect((await save({ url: PAGE }, {})).status).toBe(401)
  expect((await save({ url: PAGE }, stranger)).status).toBe(404)
  expect((await list({ ...stranger, organizationId: person.organizationId })).status).toBe(404)
  expect((await list(stranger)).body.data).toEqual([])
})
