import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { balanceOf, getChat, kindsOf, ledgerOf } from '#tests/support/chats.ts'
import { startProcess } from '#tests/support/process.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { idsOf, openMessage, resumeMessage } from '#tests/support/reader.ts'
import { createDatabase } from '#tests/support/server.ts'
import { type Battlefield, onEmbedded, onPostgres } from '../kill/kill-server.ts'

/** A server is killed while it creates an image, a video and a transcript: nothing hangs, and nothing is charged. */

const dataDir = mkdtempSync(join(tmpdir(), 'parley-media-kill-'))
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

test('unfinished media become errors, and their holds are released', async () => {
  const doomed = await startProcess(field.environment)
  const person = await doomed.signUp()
  const add = (maker: string, version: string, base: string) =>
    doomed.addModel(person, {
      provider: maker,
      version,
      config: { base_url: provider.url + base, api_key: 'k' },
    })
  const modelIds = [
    await add('openai', 'gpt-image-emu-ttft60000', '/v1'),
    await add('google', 'veo-emu-poll100000', '/v1beta'),
  ]
  await add('openai', 'whisper-emu-ttft60000', '/v1')
  const streams = await Promise.all(
    modelIds.map((modelId) => openMessage(doomed.url, person, { model_id: modelId }, { content: 'A fox' })),
  )
  for (const stream of streams) await stream.take(1)
  const transcript = fetch(`${doomed.url}/api/chat/transcribe`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.token}`, 'content-type': 'audio/webm' },
    body: new Uint8Array(readFileSync('tests/fixtures/sound.webm')),
  })
  const cut = expect(transcript).rejects.toThrow()
  await expect.poll(() => provider.requests.length).toBe(3)
  await doomed.kill()
  await cut
  await field.passTime()

  const heir = await startProcess(field.environment)
  field.server = heir
  await expect.poll(async () => (await balanceOf(heir, person)).held).toBe(0)
  const entries = await ledgerOf(heir, person)
  expect(kindsOf(entries).sort()).toEqual(['HOLD', 'HOLD', 'HOLD', 'RELEASE', 'RELEASE', 'RELEASE'])
  expect(await balanceOf(heir, person)).toMatchObject({ balance: 1_000_000, held: 0, available: 1_000_000 })
  for (const stream of streams) {
    const ids = idsOf(stream)
    const { messages } = await getChat(heir, person, ids.chatId)
    expect(messages[1]).toMatchObject({ status: 'error', media: [], usage: null })
    const rest = await resumeMessage(heir.url, person, ids, stream.events[0]?.id)
    const { error } = messages[1]
    expect((await rest.take()).map(({ data }) => data)).toEqual([{ error }])
  }
})
