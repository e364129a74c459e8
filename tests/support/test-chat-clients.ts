import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ChatClient, Connection, Place } from '#tests/clients/chat/client.ts'
import { startProvider } from './provider/index.ts'
import { sharedTestServer, type TestServer } from './server.ts'
import { documentedRow, rowOf } from './table-of-clients.ts'

const TWO_STEPS = 'TOOL:weather={"city":"Oslo"} THEN say: It rains in Oslo.'
const OSLO = '{"city":"Oslo"}'
/** Clients request structured output by a response format, or by a tool with one of these names. */
const AS_PLACE = `say: ${OSLO} TOOL:place=${OSLO} TOOL:json=${OSLO} TOOL:extract=${OSLO} TOOL:format_output=${OSLO}`

/** Clients derive features from the names of known models. */
const MODEL = { OpenAI: 'gpt-4o', Anthropic: 'claude-sonnet-5-5' }
const EMBEDDER = 'text-embedding-3-small'

/** Declares a test of each feature of each client, against a server with models of the emulated provider. */
export function testChatClients(clients: readonly ChatClient[]): void {
  let server: TestServer
  let provider: Awaited<ReturnType<typeof startProvider>>
  let apiKey: string
  beforeAll(async () => {
    provider = await startProvider()
    server = await sharedTestServer()
    const person = await server.signUp()
    const config = { base_url: `${provider.url}/v1`, api_key: 'k' }
    for (const [name, version] of [
      [MODEL.OpenAI, 'emu-n12'],
      [MODEL.Anthropic, 'emu-n12'],
      ['slow', 'emu-n2000-gap20'],
      ['breaker', 'emu-n8-errmid'],
    ])
      await server.addModel(person, { name, provider: 'openai-compatible', version, config })
    await server.addModel(person, {
      name: EMBEDDER,
      provider: 'openai-compatible',
      version: 'emu-embedding',
      config: { ...config, capabilities: ['embedding'] },
    })
    const made = await server.call('POST', `/api/api_keys/create?org_id=${person.organizationId}`, {
      token: person.token,
      body: { name: 'clients', permissions: ['*:*'] },
    })
    apiKey = made.body.key
  })
  afterAll(async () => {
    await server.stop()
    await provider.close()
  })

  describe.each(clients)('$name', (client) => {
    const { api, chat, stream, callTools, structure, converse, embed } = client
    const connection = (model: string = MODEL[api]): Connection => ({ url: server.url, apiKey, model })

    if (chat)
      test('chat', async () => {
        expect(await chat(connection(), 'say: Hello there')).toBe('Hello there')
      })

    if (stream)
      test('stream', async () => {
        const pieces = await collect(stream(connection(), 'say: Hello there you'))
        expect(pieces.join('')).toBe('Hello there you')
        expect(pieces.filter(Boolean).length).toBeGreaterThan(1)
      })

    if (callTools)
      test('tool loop', async () => {
        const places: Place[] = []
        const weather = (place: Place): string => {
          places.push(place)
          return 'rain'
        }
        expect(await callTools(connection(), TWO_STEPS, weather)).toBe('It rains in Oslo.')
        expect(places).toEqual([{ city: 'Oslo' }])
      })

    if (structure)
      test('structured output', async () => {
        expect(await structure(connection(), AS_PLACE)).toMatchObject({ city: 'Oslo' })
      })

    if (converse)
      test('two turns', async () => {
        expect(await converse(connection(), ['say: One', 'say: Two'])).toBe('Two')
        const sent = provider.requests.at(-1)?.body as { messages: object[] } | undefined
        expect(JSON.stringify(sent?.messages.slice(-3))).toMatch(/"say: One".*"One".*"say: Two"/)
      })

    if (embed)
      test('embeddings', async () => {
        const vectors = await embed(connection(EMBEDDER), ['one', 'three'])
        expect(vectors.map((vector) => Math.hypot(...vector))).toEqual([
          expect.closeTo(1, 3),
          expect.closeTo(1, 3),
        ])
        expect(vectors[0]).not.toEqual(vectors[1])
      })

    if (stream && !client.cannotAbort)
      test('abort', async () => {
        const { aborted } = provider.stats
        const leaving = new AbortController()
        const read = async (): Promise<void> => {
          for await (const piece of stream(connection('slow'), 'hi', leaving.signal))
            if (piece !== '') leaving.abort()
        }
        await read().catch(() => {})
        await expect.poll(() => provider.stats.aborted).toBeGreaterThan(aborted)
      })

    test('errors', async () => {
      const ask = (at: Connection) => (chat ?? structure)?.(at, 'hi')
      await expect(ask(connection('nobody'))).rejects.toThrow('no model or agent named nobody')
      await expect(ask({ ...connection(), apiKey: `sk_${'x'.repeat(43)}` })).rejects.toThrow(/key/)
      if (stream) await expect(collect(stream(connection('breaker'), 'hi'))).rejects.toThrow()
    })

    test('docs/clients.md has its version and features', () => {
      const features = [
        chat && 'chat',
        stream && 'stream',
        callTools && 'tool loop',
        structure && 'structured output',
        converse && 'two turns',
        embed && 'embeddings',
        stream && !client.cannotAbort && 'abort',
        'errors',
      ]
      expect(documentedRow(client.name)).toBe(rowOf(client.name, api, features))
    })
  })
}

async function collect(stream: AsyncIterable<string>): Promise<string[]> {
  const pieces: string[] = []
  for await (const piece of stream) pieces.push(piece)
  return pieces
}
