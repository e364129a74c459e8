import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { connectDatabase } from '#database/connect.ts'
import { newId } from '#database/new-id.ts'
import { renewLease } from '#platform/instance/instance.ts'
import { Activity } from '#platform/sweeps/activity.ts'
import { librarian, textSource as text } from '#tests/support/knowledge.ts'
import { mailTo } from '#tests/support/mail.ts'
import { needs } from '#tests/support/programs.ts'
import { createDatabase, startTestServer } from '#tests/support/server.ts'

/** Longer than the interval of the most frequent sweeps. */
const WATCHED_MS = 3_000

test('the looks for work of an idle server do not count as its statements', async () => {
  const server = await startTestServer({ DATABASE_URL: '' })
  const { database } = server.server.services
  expect(database.embedded).toBe(true)
  const countStatements = async (): Promise<number> => {
    const before = database.statementsSent()
    await sleep(WATCHED_MS)
    return database.statementsSent() - before
  }
  await expect.poll(countStatements, { timeout: 60_000 }).toBe(0)

  const person = await server.signUp()
  await mailTo(server, person.email, 'Confirm your email')
  await server.stop()
}, 120_000)

const database = await createDatabase()

test('a worker does the work that another process adds', {
  ...needs('PostgreSQL'),
  timeout: 120_000,
}, async () => {
  const api = await startTestServer({
    DATABASE_URL: database?.url ?? '',
    SECRET: 's'.repeat(32),
    ROLE: 'api',
  })
  const worker = await startTestServer({ ...api.environment, ROLE: 'worker' })
  const person = await api.signUp()
  await mailTo(worker, person.email, 'Confirm your email')
  const library = librarian(api, person)
  const kb = await library.create({ sources: [text('Hares')] })
  expect(await library.settle(kb)).toMatchObject({ status: 'ready', documents: { ready: 1 } })
  await library.call('DELETE', 'delete', { kb_id: kb })
  const left = () => api.server.services.database.sql`select from kb_contents where id = ${kb}`
  await expect.poll(async () => (await left()).count, { timeout: 60_000 }).toBe(0)
  await Promise.all([api.stop(), worker.stop()])
  await database?.drop()
})

/** Longer than the silence after which an installation is idle. */
const SILENCE_MS = 40_000

test('a process is idle only while no other process uses the database', needs('PostgreSQL'), async () => {
  // Without a server, which would announce its own activity.
  const made = await createDatabase()
  const silent = await connectDatabase({ databaseUrl: made?.url ?? '', dataDir: tmpdir() })
  const { sql } = silent
  const process = () => {
    const id = newId()
    let statements = 1
    const activity = new Activity({ statementsSent: () => statements })
    return {
      id,
      isIdle: () => activity.isIdle(),
      renew: () => renewLease(sql, id, 60, activity),
      send: () => statements++,
    }
  }
  const [own, other] = [process(), process()]
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    for (const one of [own, other]) await one.renew()
    vi.advanceTimersByTime(SILENCE_MS)
    for (const one of [own, other]) await one.renew()
    await own.renew()
    expect([own.isIdle(), other.isIdle()]).toEqual([true, true])

    other.send()
    await other.renew()
    expect(own.isIdle()).toBe(true)
    await own.renew()
    expect([own.isIdle(), other.isIdle()]).toEqual([false, false])
    vi.advanceTimersByTime(SILENCE_MS)
    await other.renew()
    expect([own.isIdle(), other.isIdle()]).toEqual([true, true])

    await sql`update server_instances set active_at = null where id = ${other.id}`
    await own.renew()
    expect(own.isIdle(), 'beside a process of an earlier version').toBe(false)
  } finally {
    vi.useRealTimers()
  }
  await silent.close()
  await made?.drop()
})
