import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { getChat, kindsOf, ledgerOf } from '#tests/support/chats.ts'
import { startProcess } from '#tests/support/process.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { idsOf, openMessage, resumeMessage } from '#tests/support/reader.ts'
import { createDatabase } from '#tests/support/server.ts'
import { onEmbedded, onPostgres } from '../kill/kill-server.ts'

/** A server is killed while a tool runs: the stored part of the reply is kept, shows how it ended, and is charged. */

const AGENT_SERVER = join(import.meta.dirname, '../support/agent-server.ts')
const CUT_OFF = 'The reply ended before this tool finished. Send the message again.'
const dataDir = mkdtempSync(join(tmpdir(), 'parley-agent-kill-'))
let provider: Awaited<ReturnType<typeof startProvider>>
let database: Awaited<ReturnType<typeof createDatabase>>
let heir: Awaited<ReturnType<typeof startProcess>> | undefined

beforeAll(async () => {
  provider = await startProvider()
  database = await createDatabase()
})
afterAll(async () => {
  await heir?.stop()
  await database?.drop()
  await provider.close()
  rmSync(dataDir, { recursive: true, force: true })
})

test('a killed server leaves a reply with its text and tool calls, charged once', async () => {
  const field = database ? onPostgres(database.url, provider, dataDir) : onEmbedded(provider, dataDir)
  const agentId = randomUUID()
  const played = { AGENT_ID: agentId, PROVIDER_URL: provider.url }
  const doomed = await startProcess({ ...field.environment, ...played }, [AGENT_SERVER])
  const person = await doomed.signUp()
  const content = 'say: Let me see. TOOL:book={"n":1} TOOL:endless={"n":2} THEN say: Never.'
  const stream = await openMessage(doomed.url, person, { agent_id: agentId, events: 'all' }, { content })
  const taking = stream.take().catch(() => stream.events)
  const ids = idsOf(stream)
  const callsIn = async (server: typeof doomed) =>
    (await getChat(server, person, ids.chatId)).messages.at(-1).tool_calls
  await expect.poll(() => callsIn(doomed)).toMatchObject([{ successful: true }, { successful: null }])
  await doomed.kill()
  const seen = await taking
  await field.passTime()

  heir = await startProcess(field.environment)
  const reply = (await getChat(heir, person, ids.chatId)).messages.at(-1)
  expect(reply).toMatchObject({ status: 'error', content: 'Let me see.', agent_id: agentId })
  expect(reply.tool_calls).toMatchObject([
    { name: 'book', successful: true, input: { n: 1 } },
    { name: 'endless', successful: false, error: CUT_OFF, output: {} },
  ])
  const entries = await ledgerOf(heir, person)
  expect(kindsOf(entries)).toEqual(['HOLD', 'DEBIT'])
  expect(entries[1]?.usage?.input_tokens).toBeGreaterThan(5_000)
  expect(entries[1]?.usage?.output_tokens).toBeGreaterThan(5)

  const rest = await resumeMessage(heir.url, person, ids, seen.at(-1)?.id, 'all')
  const events = await rest.take()
  expect(events.map(({ event }) => event)).toEqual(['tool', 'usage', 'failure', undefined])
  expect(events[0]?.data).toEqual({ ...reply.tool_calls[1] })
  expect(Object.keys(events[3]?.data as object)).toEqual(['error'])
})
