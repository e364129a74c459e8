import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { collectReply } from '#tests/support/provider/collect-reply.ts'
import { event, playEvents, type ScriptedServer, startScripted } from '#tests/support/provider/scripted.ts'
import { createNet } from '../net/index.ts'
import { createModels, type Models } from './index.ts'
import { ModelError, type ModelTarget, type Provider } from './types.ts'

/** Tests faulty servers and the reuse of connections. */

const API_KEY = 'sk-abcdefghijklmnop'
const HELLO = event({ choices: [{ delta: { content: 'Hello' }, finish_reason: 'stop' }] })
const DONE = 'data: [DONE]\n\n'

const net = createNet({ allowPrivateNetwork: ['127.0.0.0/8'] })
let server: ScriptedServer
let models: Models
beforeAll(() => {
  models = createModels({ net, timeouts: { connectMs: 1_000, firstTokenMs: 2_000, betweenTokensMs: 2_000 } })
})
beforeEach(async () => {
  await server?.close()
  server = await startScripted()
})
afterAll(async () => {
  await Promise.all([net.close(), server.close()])
})

const ask = (target: Partial<ModelTarget> = {}, signal?: AbortSignal) =>
  collectReply(
    models,
    {
      provider: 'openai-compatible',
      model: 'm',
      baseUrl: `${server.url}/v1`,
      apiKey: API_KEY,
      guarded: true,
      ...target,
    },
    { messages: [{ role: 'user', content: 'Hello' }] },
    signal,
  )

async function sentenceOf(reply: Promise<unknown>): Promise<string> {
  const error = await reply.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ModelError)
  return (error as ModelError).message
}

describe('connections', () => {
  test('are reused after the end marker', async () => {
    server.answer = playEvents(HELLO, DONE)
    for (let turn = 0; turn < 10; turn++) expect((await ask()).text).toBe('Hello')
    // A response ends shortly after its end marker. A request sent in between opens a second connection.
    expect(server.connections.made).toBeLessThanOrEqual(2)
  })

  test('are closed if a response does not end after its end marker', async () => {
    server.answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(HELLO + DONE)
    }
    expect((await ask()).text).toBe('Hello')
    await expect.poll(() => server.connections.open).toBe(0)
  })

  test('are closed if an error response does not end', async () => {
    server.answer = (response) => {
      response.writeHead(400, { 'content-type': 'application/json' })
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      }
      response.on('drain', more)
      more()
    }
    expect(await sentenceOf(ask())).toContain('refused the request (status 400)')
    await expect.poll(() => server.connections.open).toBe(0)
  })

  test('are closed if a reply is aborted', async () => {
    server.answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(HELLO)
    }
    const abort = new AbortController()
    const reply = ask({}, abort.signal)
    await expect.poll(() => server.connections.open).toBe(1)
    abort.abort('stopped by the user')
    await expect(reply).rejects.toBe('stopped by the user')
    await expect.poll(() => server.connections.open).toBe(0)
  })

  test('are not opened with an aborted signal', async () => {
    await expect(ask({}, AbortSignal.abort('too late'))).rejects.toBe('too late')
    expect(server.connections.made).toBe(0)
  })
})

test('an interim response is skipped', async () => {
  server.answer = (response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' })
    playEvents(HELLO, DONE)(response)
  }
  expect((await ask()).text).toBe('Hello')
})

test('comments between events are skipped', async () => {
  server.answer = playEvents(': PROCESSING\n\n', HELLO, ': PROCESSING\n\n', DONE)
  expect((await ask()).text).toBe('Hello')
})

describe('Retry-After', () => {
  const refuseOnce = (retryAfter: string) => {
    let asked = 0
    server.answer = (response) => {
      asked += 1
      if (asked > 1) return playEvents(HELLO, DONE)(response)
      response.writeHead(503, { 'retry-after': retryAfter })
      response.end()
    }
  }

  test('given as a date is obeyed', async () => {
    refuseOnce(new Date(Date.now() + 500).toUTCString())
    expect((await ask()).text).toBe('Hello')
  })

  test.each(['11', 'soon', '-1', new Date(Date.now() + 3_600_000).toUTCString()])(
    'that is too long or invalid is ignored: %s',
    async (retryAfter) => {
      refuseOnce(retryAfter)
      expect(await sentenceOf(ask())).toContain('had an internal error')
    },
  )

  test('is not waited for after an abort', async () => {
    refuseOnce('9')
    const abort = new AbortController()
    const reply = ask({}, abort.signal)
    setTimeout(() => abort.abort('enough'), 50)
    await expect(reply).rejects.toBe('enough')
  })
})

describe('an invalid address', () => {
  test.each([
    ['no address', 'not a valid URL'],
    ['ftp://example.com', 'Use https:// or http://'],
    ['http://user:secret@example.com/v1', 'must not contain a user name'],
    ['http://192.168.0.1/v1', 'ALLOW_PRIVATE_NETWORK'],
    ['http://[::ffff:10.0.0.1]/v1', 'ALLOW_PRIVATE_NETWORK'],
  ])('is refused: %s', async (baseUrl, sentence) => {
    expect(await sentenceOf(ask({ baseUrl }))).toContain(sentence)
  })

  test('of the operator is refused too', async () => {
    expect(await sentenceOf(ask({ baseUrl: 'no address', guarded: false }))).toContain('not a valid URL')
  })
})

test('https to a server without TLS is explained', async () => {
  const baseUrl = server.url.replace('http:', 'https:')
  expect(await sentenceOf(ask({ baseUrl }))).toContain('cannot be reached securely')
})

test.each(['key\nwith a line', 'ключ'])('a key with invalid characters is refused: %j', async (apiKey) => {
  const sentence = await sentenceOf(ask({ apiKey }))
  expect(sentence).toContain('contains a character that is not allowed in API keys')
  expect(sentence).not.toContain(apiKey)
})

describe('arbitrary JSON events', () => {
  test.each<Provider>(['openai-compatible', 'anthropic', 'google'])(
    'of %s end in a reply or in a clear error',
    async (provider) => {
      await fc.assert(
        fc.asyncProperty(fc.array(hostile, { maxLength: 5 }), async (values) => {
          server.answer = playEvents(...values.map(event))
          const outcome = await ask({ provider }).catch((reason: unknown) => reason)
          if (outcome instanceof Error) expect(outcome).toBeInstanceOf(ModelError)
        }),
        { numRuns: 150 },
      )
    },
  )
})

/** Property names for arbitrary JSON: names that the three formats use. */
const NAMES = [
  ...[
    'choices',
    'delta',
    'content',
    'reasoning',
    'tool_calls',
    'function',
    'arguments',
    'id',
    'index',
    'name',
  ],
  ...['type', 'content_block', 'message', 'usage', 'text', 'thinking', 'partial_json', 'candidates', 'parts'],
  ...['functionCall', 'args', 'finishReason', 'usageMetadata', 'promptFeedback', 'error'],
]
const TYPES = ['content_block_start', 'content_block_delta', 'message_start', 'message_delta', 'tool_use']
const { hostile } = fc.letrec<{ hostile: unknown; leaf: unknown }>((tie) => ({
  leaf: fc.oneof(fc.constant(null), fc.integer(), fc.string(), fc.constantFrom(...TYPES), fc.boolean()),
  hostile: fc.oneof(
    { depthSize: 'medium' },
    tie('leaf'),
    fc.array(tie('hostile'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('hostile'), { maxKeys: 4 }),
  ),
}))
