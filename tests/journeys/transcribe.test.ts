import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { balanceOf, kindsOf, ledgerOf, sendFile } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { createOrganization } from '#tests/support/tenants.ts'

/** Transcription of recordings: input formats, model selection, cost and cleanup. */

let server: TestServer
let provider: EmulatedProvider
beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer()
})
beforeEach(() => void provider.requests.splice(0))
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const fixture = (name: string): Buffer => readFileSync(`tests/fixtures/${name}`)

/** Creates a person with a transcription model. */
async function personWith(version: string, config: object = {}, provides = 'openai') {
  const person = await server.signUp()
  const base_url = provider.url + (provides === 'google' ? '/v1beta' : '/v1')
  await server.addModel(person, {
    provider: provides,
    version,
    config: { base_url, api_key: 'key-of-a-tenant', ...config },
  })
  return person
}

const asForm = (person: Person, file: Buffer, name: string, query = '', type = 'application/x-unknown') =>
  sendFile(server, `/api/chat/transcribe${query}`, { token: person.token, file, name, type })

async function asBody(
  person: Person,
  file: Buffer,
  type: string | undefined,
  query = '',
  token = person.token,
) {
  const response = await fetch(`${server.url}/api/chat/transcribe${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...(type !== undefined && { 'content-type': type }) },
    body: new Uint8Array(file),
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

/** Returns the files in the folder for incoming uploads. */
const leftBehind = () => readdirSync(join(server.environment['DATA_DIR'] as string, 'incoming'))

/** Returns the form that the provider received. */
const sent = () => provider.requests.at(-1)?.body as Record<string, unknown> & { file: object }

async function expectNothingLeft(person: Person): Promise<void> {
  expect(leftBehind()).toEqual([])
  const paid = (await ledgerOf(server, person)).reduce((sum, { amount }) => sum + amount, 0)
  expect(await balanceOf(server, person)).toMatchObject({ held: 0, balance: 1_000_000 + paid })
}

const RECORDINGS = [
  ['sound.mp3', 'audio/mpeg', 'mp3', 1],
  ['sound.wav', 'audio/wav', 'wav', 1],
  ['sound.m4a', 'audio/mp4', 'm4a', 1],
  ['recording.m4a', 'audio/mp4', 'm4a', 1],
  ['sound.ogg', 'audio/ogg', 'ogg', 1],
  ['speech.ogg', 'audio/ogg', 'ogg', 1],
  ['sound.flac', 'audio/flac', 'flac', 1],
  ['sound.webm', 'audio/webm', 'webm', 1],
  ['film.webm', 'video/webm', 'webm', 2],
] as const

describe.each(RECORDINGS)('%s', (name, type, extension, seconds) => {
  test('in a form, and as the body', async () => {
    const person = await personWith('gpt-4o-transcribe-emu', { seconds_ratio: 3 })
    const file = fixture(name)
    const answers = [
      await asForm(person, file, name),
      await asForm(person, file, name, '', type),
      await asBody(person, file, type),
      await asBody(person, file, `${type.toUpperCase()}; codecs="opus"`),
      await asBody(person, file, 'application/octet-stream', `?content_type=${encodeURIComponent(type)}`),
    ]
    for (const answer of answers) {
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      expect(answer.body).toEqual({ text: 'Guten Tag.', language: 'en-US', duration: expect.any(Number) })
      expect(Math.ceil(answer.body.duration)).toBe(seconds)
    }
    const forms = provider.requests.map(({ body }) => body as { file: object })
    expect(forms).toHaveLength(answers.length)
    for (const form of forms)
      expect(form.file).toMatchObject({ name: `recording.${extension}`, size: file.length })
    const entries = await ledgerOf(server, person)
    expect(kindsOf(entries)).toEqual(answers.flatMap(() => ['HOLD', 'DEBIT']))
    for (const { amount, usage } of entries.filter(({ kind }) => kind === 'DEBIT')) {
      expect(amount).toBe(-3 * seconds)
      expect(usage).toEqual({ input_tokens: seconds, output_tokens: 0 })
    }
    await expectNothingLeft(person)
  })
})

test('a recording without a duration, as browsers create them, is charged by its size', async () => {
  const person = await personWith('gpt-4o-transcribe-emu')
  const sound = fixture('sound.webm')
  // Replaces Duration (RFC 9559: 0x4489) with a Void element of the same size.
  const at = sound.indexOf(Buffer.from([0x44, 0x89, 0x88]))
  expect(at).toBeGreaterThan(0)
  sound.set([0xec, 0x40, 0x08], at)
  const { status, body } = await asBody(person, Buffer.concat([sound, Buffer.alloc(32_000)]), 'audio/webm')
  expect([status, Math.ceil(body.duration)]).toEqual([200, 3])
  expect((await ledgerOf(server, person)).at(-1)?.amount).toBe(-3)
})

describe('requests without a recording are refused', () => {
  test.each(['report.pdf', 'picture.png', 'note.txt', 'film.avi', 'archive.zip', 'picture.svg'])(
    '%s',
    async (name) => {
      const person = await personWith('whisper-emu')
      const answers = [
        await asForm(person, fixture(name), name, '', 'audio/mpeg'),
        await asForm(person, fixture(name), 'sound.mp3', '', 'audio/mpeg'),
        await asBody(person, fixture(name), 'audio/mpeg'),
        await asBody(person, fixture(name), 'application/octet-stream'),
      ]
      for (const { status, body } of answers)
        expect([status, body.detail]).toEqual([
          415,
          'Send the recording as MP3, WAV, M4A, OGG, FLAC or WebM.',
        ])
      expect(provider.requests).toEqual([])
      expect(await ledgerOf(server, person)).toEqual([])
      await expectNothingLeft(person)
    },
  )

  test('an empty body', async () => {
    const person = await personWith('whisper-emu')
    const empty = Buffer.alloc(0)
    for (const { status, body } of [
      await asForm(person, empty, 'a.mp3'),
      await asBody(person, empty, 'audio/mpeg'),
    ])
      expect([status, body.detail]).toEqual([400, 'The file is empty. Choose another file.'])
    expect(await ledgerOf(server, person)).toEqual([])
    await expectNothingLeft(person)
  })

  test('JSON', async () => {
    const person = await personWith('whisper-emu')
    const { status } = await asBody(person, Buffer.from('{}'), 'application/json')
    expect(status).toBe(415)
    await expectNothingLeft(person)
  })
})

describe('the language', () => {
  let person: Person
  let whisper: Person
  beforeAll(async () => {
    person = await personWith('gpt-4o-transcribe-emu')
    whisper = await personWith('whisper-emu')
  })

  test.each(['en-US', 'en-GB', 'es-ES', 'fr-FR', 'de-DE', 'it-IT', 'pt-BR', 'ja-JP', 'ko-KR', 'zh-CN'])(
    '%s is sent to the provider',
    async (language) => {
      const { status, body } = await asBody(
        person,
        fixture('sound.mp3'),
        'audio/mpeg',
        `?language=${language}`,
      )
      expect([status, body.language]).toEqual([200, language])
      expect(sent()['language']).toBe(language.slice(0, 2))
      const heard = await asBody(whisper, fixture('sound.mp3'), 'audio/mpeg', `?language=${language}`)
      expect(heard.body).toMatchObject({ language: language === 'de-DE' ? 'de-DE' : 'de', duration: 2.5 })
      expect((await ledgerOf(server, whisper)).at(-1)?.amount).toBe(-3)
    },
  )

  test.each(['xx-XX', 'en', 'EN-us', ''])('"%s" is refused', async (language) => {
    const { status } = await asBody(person, fixture('sound.mp3'), 'audio/mpeg', `?language=${language}`)
    expect(status).toBe(400)
    expect(provider.requests).toEqual([])
  })
})

describe('the transcribing model', () => {
  const SOUND = fixture('sound.mp3')

  test("is the environment's, here the demo, if the organization has none", async () => {
    const person = await server.signUp()
    const { status, body } = await asBody(person, SOUND, 'audio/mpeg')
    expect(status).toBe(200)
    expect(body).toEqual({
      text: expect.stringContaining("can't listen"),
      language: 'en-US',
      duration: 0.576,
    })
    expect(kindsOf(await ledgerOf(server, person))).toEqual(['HOLD', 'DEBIT'])
  })

  test('Gemini', async () => {
    const person = await personWith('gemini-transcribe-emu', {}, 'google')
    const { status, body } = await asBody(person, SOUND, 'audio/mpeg', '?language=pt-BR')
    expect([status, body.text, body.language]).toEqual([200, 'Guten Tag.', 'pt-BR'])
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('pt-BR')
  })

  test('returns 400 without a transcription model', async () => {
    const { sql } = server.server.services.database
    const person = await server.signUp()
    await sql`update llm_models set is_active = false where organization_id is null`
    const { status, body } = await asBody(person, SOUND, 'audio/mpeg').finally(
      () => sql`update llm_models set is_active = true where organization_id is null`,
    )
    expect([status, body.detail]).toEqual([
      400,
      'No active model in this organization supports transcription. Add or enable one that does.',
    ])
    await expectNothingLeft(person)
  })

  test('in another organization gets 404, and an API key uses its own organization', async () => {
    const person = await personWith('whisper-emu')
    const other = await personWith('whisper-emu')
    const foreign = await asBody(person, SOUND, 'audio/mpeg', `?org_id=${other.organizationId}`)
    expect([foreign.status, foreign.body.detail]).toEqual([
      404,
      expect.stringContaining('Organization not found'),
    ])

    const inTeam = await createOrganization(server, person, { granted: 10_000 })
    const key = await server.call('POST', `/api/api_keys/create?org_id=${inTeam.organizationId}`, {
      token: person.token,
      body: { name: 'k', permissions: ['chats:write'] },
    })
    const { status } = await asBody(person, SOUND, 'audio/mpeg', '', key.body.key)
    expect(status).toBe(200)
    expect(kindsOf(await ledgerOf(server, inTeam))).toEqual(['HOLD', 'DEBIT'])
    expect(await ledgerOf(server, person)).toEqual([])
    expect(await ledgerOf(server, other)).toEqual([])
    await expectNothingLeft(person)
  })
})

describe('failures', () => {
  const SOUND = fixture('sound.mp3')

  const FAILED = [503, 'llm.failed'] as const
  const REFUSED = [400, 'llm.refused'] as const
  test.each([
    ['whisper-emu-err401', REFUSED, 'rejected the API key'],
    ['whisper-emu-err413', REFUSED, 'too large'],
    ['whisper-emu-err500', FAILED, 'had an internal error'],
    ['whisper-emu-html', FAILED, 'in an unexpected format'],
    ['whisper-emu-cut', FAILED, 'lost during the reply'],
    ['whisper-emu-nothing', FAILED, 'in an unexpected format'],
  ])('%s: gets %j with an error sentence, without a charge', async (version, expected, sentence) => {
    const person = await personWith(version)
    const { status, body } = await asBody(person, SOUND, 'audio/mpeg')
    expect([status, body.code]).toEqual(expected)
    expect(body.detail).toContain(sentence)
    expect(body.detail).not.toContain('key-of-a-tenant')
    const entries = await ledgerOf(server, person)
    expect(kindsOf(entries)).toEqual(['HOLD', 'RELEASE'])
    expect(entries[1]?.reason).toBe(body.detail)
    await expectNothingLeft(person)
  })

  test('without credits nothing is sent to the provider', async () => {
    const person = await personWith('whisper-emu')
    const { sql } = server.server.services.database
    await sql`update credit_accounts set balance = 0 where organization_id = ${person.organizationId}`
    expect((await asBody(person, SOUND, 'audio/mpeg')).status).toBe(402)
    expect(provider.requests).toEqual([])
    expect(leftBehind()).toEqual([])
  })

  test('a client that disconnects is charged for the transcription in progress, and leaves no file', async () => {
    const person = await personWith('whisper-emu-ttft300')
    const leaving = new AbortController()
    const asked = fetch(`${server.url}/api/chat/transcribe`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.token}`, 'content-type': 'audio/mpeg' },
      body: new Uint8Array(SOUND),
      signal: leaving.signal,
    })
    await expect.poll(() => provider.requests.length).toBe(1)
    leaving.abort()
    await expect(asked).rejects.toThrow()
    await expect.poll(async () => kindsOf(await ledgerOf(server, person))).toEqual(['HOLD', 'DEBIT'])
    await expect.poll(leftBehind).toEqual([])
    await expectNothingLeft(person)
  })

  test('a client that disconnects during the upload leaves nothing, without a charge', async () => {
    const person = await personWith('whisper-emu')
    const asked = request(`${server.url}/api/chat/transcribe`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.token}`, 'content-type': 'audio/mpeg' },
    })
    asked.on('error', () => {})
    asked.write(SOUND)
    await expect.poll(() => leftBehind().length).toBe(1)
    asked.destroy()
    await expect.poll(leftBehind).toEqual([])
    expect(provider.requests).toEqual([])
    await expectNothingLeft(person)
  })

  test('the hold of a long call is not released as that of a dead process', async () => {
    const person = await personWith('whisper-emu-ttft6500')
    const asked = asBody(person, SOUND, 'audio/mpeg')
    await expect.poll(() => provider.requests.length).toBe(1)
    const { sql } = server.server.services.database
    const aged = await sql`
      update open_holds set created_at = now() - interval '10 minutes'
      where organization_id = ${person.organizationId}`
    expect(aged.count).toBe(1)
    expect((await asked).status).toBe(200)
    expect(kindsOf(await ledgerOf(server, person))).toEqual(['HOLD', 'DEBIT'])
  })
})
