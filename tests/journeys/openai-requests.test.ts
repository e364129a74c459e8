import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer, Person } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { MP3 } from '#tests/support/provider/media.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** The forms of requests that clients of OpenAI send: older ones, files, audio and tokens. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let person: Person
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  person = await server.signUp()
  const config = { base_url: `${provider.url}/v1`, api_key: 'k' }
  for (const [name, providerName, version, capabilities] of [
    ['talker', 'openai-compatible', 'emu-n12', ['text', 'vision', 'tools']],
    ['gemini', 'google', 'gemini-emu-n2', ['text']],
    ['claude', 'anthropic', 'claude-emu-n2', ['text']],
    ['whisper', 'openai-compatible', 'emu', ['transcription']],
    ['speaker', 'openai-compatible', 'emu', ['speech']],
    ['painter', 'openai-compatible', 'emu-image', ['image']],
    ['embedder', 'openai-compatible', 'text-embedding-3-emu', ['embedding']],
  ] as const)
    await server.addModel(person, {
      name,
      provider: providerName,
      version,
      config: { ...config, capabilities },
    })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const post = (path: string, body: object): Promise<Answer> =>
  server.call('POST', `/openai/v1${path}`, { token: person.token, body })
const complete = (body: object): Promise<Answer> =>
  post('/chat/completions', { model: 'talker', messages: [{ role: 'user', content: 'hi' }], ...body })
const balance = () =>
  server.call('GET', `/api/billing/balance?org_id=${person.organizationId}`, { token: person.token })
const sent = () => provider.requests.at(-1)?.body as Record<string, unknown>

const FUNCTION = { name: 'weather', parameters: { type: 'object' } }
const TOOL = { type: 'function', function: FUNCTION }

describe('chat completions', () => {
  test('make the last instruction of a request with only instructions the message', async () => {
    const system = (content: string) => ({ role: 'system', content })
    expect((await complete({ messages: [system('Be brief'), system('say: Hello')] })).status).toBe(200)
    expect(sent()['messages']).toEqual([system('Be brief'), { role: 'user', content: 'say: Hello' }])
  })

  test.each([
    ['/chat/completions', { max_tokens: 5_000, reasoning_effort: 'high' }],
    ['/chat/completions', { max_completion_tokens: 5_000, reasoning_effort: 'high' }],
    ['/responses', { max_output_tokens: 5_000, reasoning: { effort: 'high' } }],
  ])('limit text and reasoning together: %s with %j', async (path, fields) => {
    const hi = path === '/responses' ? { input: 'hi' } : { messages: [{ role: 'user', content: 'hi' }] }
    expect((await post(path, { model: 'claude', ...hi, ...fields })).status).toBe(200)
    expect(sent()).toMatchObject({ max_tokens: 5_000, thinking: { budget_tokens: 4_000 } })
  })

  test('take an image as a string', async () => {
    const url = `data:image/png;base64,${Buffer.from('89504e470d0a1a0a0000000d', 'hex').toString('base64')}`
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: url }] }]
    expect((await complete({ messages })).status).toBe(200)
    expect(sent()['messages']).toMatchObject([{ content: [{ image_url: { url } }] }])
  })

  test('offer only the allowed tools', async () => {
    const other = { type: 'function', function: { ...FUNCTION, name: 'clock' } }
    const allow = (name: string) => ({
      tools: [TOOL, other],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name } }] },
      },
    })
    await complete(allow('clock'))
    expect(sent()).toMatchObject({ tools: [{ function: { name: 'clock' } }], tool_choice: 'required' })
    expect((await complete(allow('unknown'))).status).toBe(400)
  })

  test('call functions in the older form, and take their results', async () => {
    const content = 'TOOL:weather={"city":"Oslo"} THEN say: It rains.'
    const asked = { functions: [FUNCTION], function_call: 'auto' }
    const user = { role: 'user', content }
    const { body } = await complete({ ...asked, messages: [user] })
    const [choice] = body.choices
    expect(choice).toMatchObject({
      finish_reason: 'function_call',
      message: { function_call: { name: 'weather', arguments: '{"city":"Oslo"}' } },
    })
    const { text } = await complete({ ...asked, messages: [user], stream: true })
    expect(text).toContain('"function_call":{"name":"weather"')
    const result = { role: 'function', name: 'weather', content: 'rain' }
    const second = await complete({ ...asked, messages: [user, choice.message, result] })
    expect(second.body.choices[0].message.content).toBe('It rains.')
    expect((sent()['messages'] as object[]).at(-1)).toMatchObject({ role: 'tool', content: 'rain' })
  })

  test('read the text of files', async () => {
    const data = readFileSync('tests/fixtures/report.pdf')
    const form = new FormData()
    form.set('file', new Blob([data]), 'report.pdf')
    const uploaded = await fetch(`${server.url}/api/chat/upload_file?org_id=${person.organizationId}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.token}` },
      body: form,
    })
    const { id: file_id } = (await uploaded.json()) as { id: string }
    const file_data = `data:application/pdf;base64,${data.toString('base64')}`
    const withFile = (file: object) =>
      complete({ messages: [{ role: 'user', content: [{ type: 'file', file }] }] })
    for (const file of [{ file_data, filename: 'report.pdf' }, { file_id }]) {
      expect((await withFile(file)).status).toBe(200)
      expect(sent()['messages']).toMatchObject([
        {
          content: [
            { type: 'text', text: expect.stringMatching(/^<attachment name="report.pdf">\n[\s\S]{20,}/) },
          ],
        },
      ])
    }
    expect((await withFile({ file_id: crypto.randomUUID() })).status).toBe(404)
    expect((await withFile({ file_id: 'file-abc' })).status).toBe(404)
    expect((await withFile({ file_data: 'data:application/pdf;base64,AAAA' })).status).toBe(400)
    const stranger = await server.signUp()
    const theirs = await server.call('POST', '/openai/v1/chat/completions', {
      token: stranger.token,
      body: { model: 'talker', messages: [{ role: 'user', content: [{ type: 'file', file: { file_id } }] }] },
    })
    expect(theirs.status).toBe(404)
  })

  test('pass audio on, or refuse it by name', async () => {
    const data = Buffer.from('RIFF').toString('base64')
    const part = { type: 'input_audio', input_audio: { data, format: 'wav' } }
    const messages = [{ role: 'user', content: [part] }]
    await complete({ messages })
    expect(sent()['messages']).toEqual(messages)
    await complete({ model: 'gemini', messages })
    expect(sent()['contents']).toMatchObject([{ parts: [{ inlineData: { mimeType: 'audio/wav', data } }] }])
    const { status, body } = await complete({ model: 'claude', messages })
    expect([status, body.error.message]).toEqual([400, expect.stringMatching(/^input_audio is not accepted/)])
  })
})

test('completions answer a prompt, also as a stream', async () => {
  const { body } = await post('/completions', { model: 'talker', prompt: 'say: Hello there' })
  expect(body).toMatchObject({
    object: 'text_completion',
    choices: [{ index: 0, text: 'Hello there', finish_reason: 'stop' }],
  })
  const { text } = await post('/completions', { model: 'talker', prompt: ['say: Hello'], stream: true })
  expect(text).toContain('"text":"Hello"')
  expect(text).toMatch(/data: \[DONE\]\n\n$/)
  expect((await post('/completions', { model: 'talker', prompt: 'a', echo: true })).status).toBe(400)
})

test('one model or agent can be read', async () => {
  const read = (name: string) =>
    server.call('GET', `/openai/v1/models/${encodeURIComponent(name)}`, { token: person.token })
  expect((await read('talker')).body).toMatchObject({ id: 'talker', object: 'model' })
  expect((await read('no/body')).body.error.code).toBe('model_not_found')
})

describe('embeddings', () => {
  test('take tokens', async () => {
    const { body } = await post('/embeddings', { model: 'embedder', input: [[9906, 1917], [9906]] })
    expect(body.data).toHaveLength(2)
    expect(sent()['input']).toEqual(['Hello world', 'Hello'])
    expect((await post('/embeddings', { model: 'embedder', input: [200_000] })).status).toBe(400)
  })

  test('pass dimensions on to models that can choose them', async () => {
    expect((await post('/embeddings', { model: 'embedder', input: 'Hi', dimensions: 4 })).status).toBe(200)
    expect(sent()).toMatchObject({ dimensions: 4 })
  })

  test('take 2,048 texts', async () => {
    const input = Array.from({ length: 2_048 }, (_, index) => `text ${index}`)
    const { body } = await post('/embeddings', { model: 'embedder', input })
    expect(body.data).toHaveLength(2_048)
  })
})

const sendForm = async (path: string, name: string, fields: object, token = person.token) => {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  form.set('file', new Blob([readFileSync(`tests/fixtures/${name}`)]), name)
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${server.url}/openai/v1${path}`, { method: 'POST', headers, body: form })
  const text = await response.text()
  return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : undefined }
}

describe('transcriptions', () => {
  test('are JSON or text, and are charged by the second', async () => {
    const { status, body } = await sendForm('/audio/transcriptions', 'sound.wav', { model: 'whisper' })
    expect([status, typeof body.text, body.usage.type]).toEqual([200, 'string', 'duration'])
    const asked = { model: 'whisper', response_format: 'text', language: 'en' }
    expect((await sendForm('/audio/transcriptions', 'sound.wav', asked)).text).toBe(`${body.text}\n`)
  })

  test.each([
    [{ model: 'talker' }, 400],
    [{ model: 'nobody' }, 404],
    [{}, 400],
    [{ model: 'whisper', response_format: 'srt' }, 400],
    [{ model: 'whisper', prompt: 'Names' }, 400],
  ])('with %j are refused', async (fields, status) => {
    expect((await sendForm('/audio/transcriptions', 'sound.wav', fields)).status).toBe(status)
  })
})

test('an image is generated, and its size is refused', async () => {
  const { body } = await post('/images/generations', { model: 'painter', prompt: 'A fern' })
  expect(Buffer.from(body.data[0].b64_json, 'base64').subarray(1, 4).toString()).toBe('PNG')
  expect(body.usage.total_tokens).toBeGreaterThan(0)
  const { status } = await post('/images/generations', { model: 'painter', prompt: 'A', size: '256x256' })
  expect(status).toBe(400)
})

test('a text is spoken, and charged by its tokens', async () => {
  const { balance: before } = (await balance()).body
  const request = {
    model: 'speaker',
    voice: 'alloy',
    input: 'Good morning',
    instructions: 'Softly',
    speed: 1.5,
  }
  const response = await fetch(`${server.url}/openai/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  })
  expect(response.headers.get('content-type')).toBe('audio/mpeg')
  expect(Buffer.from(await response.arrayBuffer())).toEqual(MP3)
  expect(sent()).toEqual({ ...request, model: 'emu', response_format: 'mp3' })
  expect(before - (await balance()).body.balance).toBe(5)
})

test.each([
  ['a model that does not speak', { model: 'talker' }, 400],
  ['no text', { input: '' }, 400],
  ['too much text', { input: 'a'.repeat(4_097) }, 400],
  ['an unknown format', { response_format: 'midi' }, 400],
  ['a stream of events', { stream_format: 'sse' }, 400],
  ['no voice', { voice: undefined }, 400],
])('a request for speech with %s is refused', async (_name, change, status) => {
  const body = { model: 'speaker', voice: 'alloy', input: 'Hi', ...change }
  expect((await post('/audio/speech', body)).status).toBe(status)
})

test("files are the caller's uploads", async () => {
  const get = (path: string, token = person.token) => server.call('GET', `/openai/v1${path}`, { token })
  const { body: file } = await sendForm('/files', 'note.txt', { purpose: 'user_data' })
  expect(file).toMatchObject({ object: 'file', filename: 'note.txt', purpose: 'user_data' })
  expect((await get('/files?limit=1')).body.data).toEqual([file])
  expect((await get(`/files/${file.id}`)).body).toEqual(file)
  const content = await fetch(`${server.url}/openai/v1/files/${file.id}/content`, {
    headers: { authorization: `Bearer ${person.token}` },
  })
  expect(Buffer.from(await content.arrayBuffer())).toEqual(readFileSync('tests/fixtures/note.txt'))
  const stranger = await server.signUp()
  expect((await get(`/files/${file.id}`, stranger.token)).status).toBe(404)
  const path = `/openai/v1/files/${file.id}`
  expect((await server.call('DELETE', path, { token: person.token })).body).toMatchObject({ deleted: true })
  expect((await get(`/files/${file.id}`)).status).toBe(404)
})
