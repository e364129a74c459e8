import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { balanceOf, kindsOf, ledgerOf } from '#tests/support/chats.ts'
import { textOf } from '#tests/support/client.ts'
import {
  deploy,
  openTalk,
  readSession,
  resumeTalk,
  sessionIdOf,
  talk,
  visit,
} from '#tests/support/deployments.ts'
import { startProcess } from '#tests/support/process.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { createDatabase } from '#tests/support/server.ts'
import { type Battlefield, onEmbedded, onPostgres } from '../kill/kill-server.ts'

/** A server is killed in the middle of a visitor's reply. */

const dataDir = mkdtempSync(join(tmpdir(), 'parley-deployment-kill-'))
let provider: Awaited<ReturnType<typeof startProvider>>
let database: Awaited<ReturnType<typeof createDatabase>>
let field: Battlefield

beforeAll(async () => {
  provider = await startProvider()
  database = await createDatabase()
  field = database ? onPostgres(database.url, provider, dataDir) : onEmbedded(provider, dataDir)
})
afterAll(async () => {
  await field.server?.stop()
  await database?.drop()
  await provider.close()
  rmSync(dataDir, { recursive: true, force: true })
})

test('an interrupted reply becomes an error, its text is stored and charged, and the visitor can continue', async () => {
  const doomed = await startProcess(field.environment)
  const widget = await deploy(doomed, provider, { deployment_type: 'widget' }, 'emu-n400-gap10')
  const token = await visit(doomed, widget)
  const stream = await openTalk(doomed.url, token, { content: 'Hello' })
  const sessionId = sessionIdOf(stream)
  await stream.take(250)
  await doomed.kill()
  await field.passTime()

  const heir = await startProcess(field.environment)
  field.server = heir
  await expect.poll(async () => (await balanceOf(heir, widget.owner)).held).toBe(0)
  expect(kindsOf(await ledgerOf(heir, widget.owner))).toEqual(['HOLD', 'DEBIT'])
  const { body } = await readSession(heir, token, sessionId)
  expect(body.messages).toMatchObject([
    { role: 'user', content: 'Hello', status: 'complete' },
    { role: 'assistant', status: 'error', error: expect.stringContaining('The server stopped') },
  ])
  const rest = await (await resumeTalk(heir.url, token, sessionId)).take()
  const { content, error } = body.messages[1]
  expect([textOf(rest.slice(0, -1)), rest.at(-1)?.data]).toEqual([content, { error }])
  expect(textOf(stream.events).startsWith(content.slice(0, 50))).toBe(true)
  const usage = await heir.call('GET', `/api/agent_deploy/usage?deployment_id=${widget.id}`, {
    token: widget.owner.token,
  })
  expect(usage.body.totals.messages).toBe(1)
  const next = await openTalk(heir.url, token, { content: 'Are you there?', session_id: sessionId })
  await next.take(2)
  expect(next.status).toBe(200)
  const stop = await heir.call('POST', `/api/agent_deploy/stop?session_id=${sessionId}`, { token })
  expect(stop.status).toBe(200)
  expect((await talk(heir, token, { content: 'x', session_id: crypto.randomUUID() })).status).toBe(404)
})
