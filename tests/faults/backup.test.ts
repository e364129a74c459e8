import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectDatabase } from '#database/connect.ts'
import { balanceOf, ledgerOf } from '#tests/support/chats.ts'
import type { Answer, Client, Person } from '#tests/support/client.ts'
import { copyEmbedded } from '#tests/support/embedded.ts'
import { librarian, textSource } from '#tests/support/knowledge.ts'
import { expectSoundLedger } from '#tests/support/ledger-invariants.ts'
import { signUpWithModel } from '#tests/support/models.ts'
import { runCli, startProcess } from '#tests/support/process.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { idsOf, openMessage } from '#tests/support/reader.ts'
import { toolsmith } from '#tests/support/toolsmith.ts'

/** A backup of the embedded database, made while a reply streams and restored into another folder. */

const folder = mkdtempSync(join(tmpdir(), 'parley-backup-'))
const environment = {
  DATA_DIR: join(folder, 'data'),
  BASE_URL: 'http://parley.test',
  ALLOW_PRIVATE_NETWORK: '127.0.0.0/8',
  ADMIN_PASSWORD: 'administrator',
}
const restored = { ...environment, DATA_DIR: join(folder, 'restored') }
const archive = join(folder, 'parley.backup')
const NOTE = 'The tide tables are in the third drawer.'
let provider: Awaited<ReturnType<typeof startProvider>>
beforeAll(async () => {
  provider = await startProvider()
  await copyEmbedded(environment.DATA_DIR)
})
afterAll(async () => {
  await provider.close()
  rmSync(folder, { recursive: true, force: true })
})

const run = async (args: string[], env: Record<string, string>) => {
  const { ended, output } = runCli(args, env, folder)
  return { code: await ended, output: output() }
}

interface Filled {
  person: Person
  kbId: string
  toolId: string
  chatId: string
}

async function fill(server: Client): Promise<Filled> {
  const { person, modelId } = await signUpWithModel(server, provider, 'emu')
  const upload = await server.upload(person, { name: 'note.md', bytes: NOTE })
  const { chatId } = await server.say(
    person,
    { model_id: modelId },
    { content: 'Hello', file_uploads: [upload.body.id] },
  )
  const books = librarian(server, person)
  const kbId = await books.create({
    sources: [textSource('Lighthouse', 'The lighthouse keeper sells maps.')],
  })
  await books.settle(kbId)
  const toolId = await toolsmith(server, person).make()
  return { person, chatId, kbId, toolId }
}

/** Reads everything that must be the same before and after. */
async function read(server: Client, { person, kbId, toolId, chatId }: Filled) {
  const { organizationId, token } = person
  const get = async (path: string, query: Record<string, string> = {}): Promise<Answer['body']> => {
    const address = `/api/${path}?${new URLSearchParams({ org_id: organizationId, ...query })}`
    const { status, body, text } = await server.call('GET', address, { token })
    expect([status, text]).toEqual([200, text])
    return body
  }
  const found = await server.call('POST', `/api/kb/search?kb_id=${kbId}`, {
    token,
    body: { query: 'Who sells maps?', limit: 1 },
  })
  const { messages } = await get('chat', { chat_id: chatId })
  const { pathname, search } = new URL(messages[0].file_uploads[0].url)
  const file = await server.call('GET', pathname + search)
  return {
    found: [found.body.results[0].document_name, found.body.results[0].content],
    file: [file.status, file.text],
    texts: messages.map((message: { content: string }) => message.content),
    tool: await get('tools', { tool_id: toolId }),
    balance: await balanceOf(server, person),
    ledger: await ledgerOf(server, person),
  }
}

test('a backup during a reply restores everything of that moment, and the reply continues', async () => {
  const server = await startProcess(environment)
  const filled = await fill(server)
  const before = await read(server, filled)
  const { person } = filled
  const slow = await server.addModel(person, {
    provider: 'openai-compatible',
    version: 'emu-n400-gap20',
    config: { base_url: `${provider.url}/v1`, api_key: 'k' },
  })
  const stream = await openMessage(server.url, person, { model_id: slow }, { content: 'Hi' })
  await stream.take(3)

  const made = await run(['backup', archive], environment)
  expect(made).toMatchObject({ code: 0, output: expect.stringContaining('Backed up') })
  const events = await stream.take()
  expect(events.at(-1)?.data['error']).toBeUndefined()
  expect(await server.stop()).toBe(0)
  expect(readdirSync(environment.DATA_DIR).filter((name) => name.startsWith('snapshot-'))).toEqual([])

  const done = await run(['restore', archive], restored)
  expect(done).toMatchObject({ code: 0, output: expect.stringContaining('Restored') })
  const heir = await startProcess(restored)
  const interrupted = `/api/chat?org_id=${person.organizationId}&chat_id=${idsOf(stream).chatId}`
  const isOver = async () =>
    (await heir.call('GET', interrupted, { token: person.token })).body.messages[1].status
  await expect.poll(isOver).toBe('error')
  await expect.poll(async () => (await balanceOf(heir, person)).held).toBe(0)
  const after = await read(heir, filled)
  const { ledger, ...same } = before
  expect(after).toMatchObject({ ...same, balance: { balance: expect.any(Number), held: 0 } })
  expect(after.ledger).toEqual(expect.arrayContaining(ledger))
  expect(await heir.stop()).toBe(0)

  const database = await connectDatabase({ databaseUrl: null, dataDir: restored.DATA_DIR })
  await expectSoundLedger(database.sql, person.organizationId)
  await database.close()
}, 240_000)
