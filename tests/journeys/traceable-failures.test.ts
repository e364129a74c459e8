import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { DatabaseUnavailable } from '#database/unavailable.ts'
import { fail } from '#errors'
import { logFault } from '#platform/telemetry/log-fault.ts'
import { describeWork, runWork, setOrganization, setUser } from '#platform/telemetry/running.ts'
import { copyEmbedded } from '#tests/support/embedded.ts'
import { type ServerProcess, startProcess } from '#tests/support/process.ts'
import { startProvider } from '#tests/support/provider/index.ts'

/** The lines of the log by which an operator finds the people and the chat that a failure concerns. */

const folder = mkdtempSync(join(tmpdir(), 'parley-log-'))
let provider: Awaited<ReturnType<typeof startProvider>>
let server: ServerProcess
beforeAll(async () => {
  provider = await startProvider()
  await copyEmbedded(folder)
  server = await startProcess({
    DATA_DIR: folder,
    BASE_URL: 'http://parley.test',
    ALLOW_PRIVATE_NETWORK: '127.0.0.0/8',
    LOG_LEVEL: 'info',
  })
})
afterAll(async () => {
  await server?.stop()
  await provider?.close()
  rmSync(folder, { recursive: true, force: true })
})

const linesOf = (message: string): Record<string, unknown>[] =>
  server
    .output()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
    .filter(({ msg }) => msg === message)

test('many failed replies are one short line, which names the request, the chat and the people', async () => {
  const person = await server.signUp()
  const { token, organizationId, userId } = person
  const model = await server.addModel(person, {
    provider: 'openai-compatible',
    version: 'emu-err500',
    config: { base_url: `${provider.url}/v1` },
  })
  const replies = await Promise.all(
    Array.from({ length: 20 }, () =>
      server.say(person, { model_id: model }, { content: 'A secret of mine' }),
    ),
  )
  await expect.poll(() => linesOf('a reply failed').length).toBe(1)
  const [line] = linesOf('a reply failed')
  const ids = { user_id: userId, organization_id: organizationId, provider: 'openai-compatible' }
  expect(line).toMatchObject({ level: 40, fault: 'model.provider_error_because', ...ids })
  const traced = replies.find(({ messageId }) => messageId === line?.['message_id'])
  expect(traced?.chatId).toBe(line?.['chat_id'])
  const requests = linesOf('request').filter(({ reqId }) => reqId === line?.['request_id'])
  expect(requests).toMatchObject([{ route: '/api/chat/send_message', status: 200 }])
  expect(JSON.stringify(line).length).toBeLessThan(800)
  for (let count = 0; count < 5; count++)
    await server.call('POST', '/openai/v1/chat/completions', {
      token,
      headers: { 'X-Organization-Id': organizationId },
      body: { model, messages: [{ role: 'user', content: 'A secret of mine' }] },
    })
  expect(linesOf('a model call failed')).toMatchObject([{ ...ids, model_id: model }])
  expect(linesOf('request failed')).toMatchObject([{ fault: 'llm.failed', organization_id: organizationId }])
  expect(server.output()).not.toContain('A secret of mine')
})

test('the line of a request has its user, organization and client address, and no query', async () => {
  const { token, organizationId, userId } = await server.signUp()
  await server.call('GET', `/api/chat/list?org_id=${organizationId}`, { token })
  await server.call('GET', `/api/invitations/validate?token=${'t'.repeat(43)}`)
  const of = (route: string) =>
    linesOf('request')
      .filter((line) => line['route'] === route)
      .at(-1)
  await expect
    .poll(() => of('/api/chat/list'))
    .toMatchObject({
      user_id: userId,
      organization_id: organizationId,
      address: '127.0.0.1',
    })
  expect(of('/api/auth/signup')).not.toHaveProperty('user_id')
  expect(server.output()).not.toContain('t'.repeat(43))
  expect(server.output()).not.toContain(token)
})

test('faults of a kind are counted until their interval ends; unexpected errors are logged in full', async () => {
  vi.useFakeTimers()
  const log = { warn: vi.fn(), error: vi.fn() }
  const busy = () => logFault(log, fail('server.unavailable', { reason: 'Busy.' }), { model: 'a' }, 'failed')
  const work = describeWork('GET /', null, 'request-1')
  await runWork(work, async () => {
    setOrganization('organization-1')
    setUser('user-1')
    for (let count = 0; count < 3; count++) busy()
  })
  const ids = { request_id: 'request-1', user_id: 'user-1', organization_id: 'organization-1', model: 'a' }
  const first = { fault: 'server.unavailable', reason: 'Busy.', ...ids }
  expect(log.warn.mock.calls).toEqual([[first, 'failed']])
  vi.advanceTimersByTime(60_000)
  expect(log.warn.mock.lastCall).toEqual([
    { fault: 'server.unavailable', more: 2, last: ids, seconds: 60 },
    'failed',
  ])
  busy()
  expect(log.warn).toHaveBeenCalledTimes(3)
  vi.advanceTimersByTime(60_000)
  expect(log.warn).toHaveBeenCalledTimes(3)
  const refused = Object.assign(new Error('connect refused\nparams: secret'), { code: 'ECONNREFUSED' })
  logFault(log, new DatabaseUnavailable(refused), {}, 'failed')
  expect(log.warn.mock.lastCall?.[0]).toMatchObject({
    fault: 'server.no_database',
    cause: 'ECONNREFUSED: connect refused',
  })
  const broken = new TypeError('undefined is not a function')
  for (let count = 0; count < 2; count++) logFault(log, broken, {}, 'failed')
  expect(log.error.mock.calls).toEqual([
    [{ err: broken }, 'failed'],
    [{ err: broken }, 'failed'],
  ])
  vi.useRealTimers()
})
