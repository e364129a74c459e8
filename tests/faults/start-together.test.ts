import { expect, test } from 'vitest'
import { needs } from '#tests/support/programs.ts'
import { createDatabase, startTestServer } from '#tests/support/server.ts'

const COUNT = 3

// The embedded database supports only one process at a time.
test(
  'processes that start concurrently on a new database create one administrator',
  needs('PostgreSQL'),
  async () => {
    const database = await createDatabase({ isEmpty: true })
    const environment = { DATABASE_URL: database?.url ?? '', SECRET: 's'.repeat(32) }
    const servers = await Promise.all(Array.from({ length: COUNT }, () => startTestServer(environment)))
    expect(servers.map(({ server }) => server.administrator).filter(Boolean)).toHaveLength(1)
    for (const one of servers) {
      const person = await one.signUp()
      expect((await one.call('GET', '/api/users/me', { token: person.token })).status).toBe(200)
    }
    await Promise.all(servers.map((one) => one.stop()))
    await database?.drop()
  },
)
