import { mkdtempSync, rmSync } from 'node:fs'
import { request as requestHttp } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getChat, ledgerOf } from '#tests/support/chats.ts'
import { openReady, RefusedUpgrade } from '#tests/support/live-socket.ts'
import { signUpWithModel } from '#tests/support/models.ts'
import { startProcess } from '#tests/support/process.ts'
import { needs } from '#tests/support/programs.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { idsOf, joinedText, openLongReply, openMessage, resumeMessage } from '#tests/support/reader.ts'
import { startRedis } from '#tests/support/redis.ts'
import { createDatabase, startTestServer, type TestServer } from '#tests/support/server.ts'

/** A server that shuts down while clients use it. */

const database = await createDatabase()
const needed = needs('PostgreSQL', 'Redis')

let redis: Awaited<ReturnType<typeof startRedis>>
let provider: Awaited<ReturnType<typeof startProvider>>
let environment: Record<string, string>
beforeAll(async () => {
  redis = await startRedis()
  provider = await startProvider()
  environment = { DATABASE_URL: database?.url ?? '', SECRET: 's'.repeat(32), REDIS_URL: redis.url }
})
afterAll(async () => {
  await redis.stop()
  await provider.close()
  await database?.drop()
})

async function withTwo(
  streamsGraceMs: number,
  work: (leaving: TestServer, other: TestServer) => Promise<void>,
): Promise<void> {
  const leaving = await startTestServer(environment, { streamsGraceMs })
  const other = await startTestServer(environment)
  await work(leaving, other)
  await other.stop()
}

/** Requests through a connection that stays open, as load balancers do. Returns status and headers. */
const get = (url: string, path: string, token?: string) =>
  new Promise<{ status: number | undefined; connection: string | undefined }>((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    requestHttp(`${url}${path}`, { headers }, (response) => {
      response.resume()
      resolve({ status: response.statusCode, connection: response.headers.connection })
    })
      .on('error', reject)
      .end()
  })

describe('a server that shuts down', needed, () => {
  test('is not ready, refuses streams, and answers other requests until its replies have ended', () =>
    withTwo(20_000, async (leaving) => {
      const { person, modelId } = await signUpWithModel(leaving, provider, 'emu-n40-gap40')
      const { url } = leaving
      const stream = await openMessage(url, person, { model_id: modelId }, { content: 'Hi' })
      await stream.take(3)
      const stopped = leaving.stop()
      expect(await get(url, '/readyz')).toEqual({ status: 503, connection: 'close' })
      expect(await get(url, '/healthz')).toEqual({ status: 200, connection: 'close' })
      expect(await get(url, '/api/users/me', person.token)).toEqual({ status: 200, connection: 'close' })
      const refused = await openMessage(url, person, { model_id: modelId }, { content: 'More' })
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
      expect(await refused.text()).toContain('shutting down')
      expect((await resumeMessage(url, person, idsOf(stream))).status).toBe(503)
      await expect(openReady(url, person.token)).rejects.toBeInstanceOf(RefusedUpgrade)
      expect((await stream.take()).at(-1)?.data).toEqual({ message: 'DONE' })
      await stopped
      await expect(get(url, '/healthz')).rejects.toThrow()
    }))

  test('ends replies after the grace period, stores and charges their text, and tells all readers', () =>
    withTwo(300, async (leaving, other) => {
      const { person, stream } = await openLongReply(leaving, provider)
      const follower = await resumeMessage(other.url, person, idsOf(stream))
      await follower.take(3)
      const [events, followed] = await Promise.all([stream.take(), follower.take(), leaving.stop()])
      expect(events.at(-1)?.data['error']).toContain('restarted')
      expect(joinedText(followed)).toBe(joinedText(events))
      const { messages } = await getChat(other, person, idsOf(stream).chatId)
      expect(messages.at(-1)).toMatchObject({ status: 'error', content: joinedText(events) })
      const debit = (await ledgerOf(other, person)).find(({ kind }) => kind === 'DEBIT')
      expect(debit?.amount).toBeLessThan(0)
    }))

  test('hands the readers of other instances over to them', () =>
    withTwo(20_000, async (leaving, other) => {
      const { person, modelId } = await signUpWithModel(other, provider, 'emu-n60-gap40')
      const stream = await openMessage(other.url, person, { model_id: modelId }, { content: 'Hi' })
      const follower = await resumeMessage(leaving.url, person, idsOf(stream))
      await follower.take(3)
      const stopped = leaving.stop()
      await follower.take().catch(() => {})
      expect(follower.events.at(-1)?.data['message']).not.toBe('DONE')
      const resumed = await resumeMessage(other.url, person, idsOf(stream), follower.events.at(-1)?.id)
      const whole = await stream.take()
      expect(joinedText([...follower.events, ...(await resumed.take())])).toBe(joinedText(whole))
      await stopped
    }))

  test('exits at once at a second signal', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-draining-'))
    const server = await startProcess({
      ...environment,
      DATA_DIR: dataDir,
      BASE_URL: 'http://parley.test',
      ALLOW_PRIVATE_NETWORK: '127.0.0.0/8',
      ADMIN_PASSWORD: 'administrator',
    })
    await openLongReply(server, provider)
    void server.stop()
    await expect.poll(async () => (await server.call('GET', '/readyz')).status).toBe(503)
    expect(await server.stop()).toBe(1)
    rmSync(dataDir, { recursive: true, force: true })
  })
})
