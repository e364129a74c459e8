import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RECORDED } from '#tests/clients/recorded.ts'
import type { Person } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Requests of Claude Code, Codex and Cursor, which have no library that a test could run. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let person: Person
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  person = await server.signUp()
  const config = {
    base_url: `${provider.url}/v1`,
    api_key: 'k',
    capabilities: ['text', 'tools', 'reasoning'],
  }
  for (const [name, providerName, version] of [
    ['compatible', 'openai-compatible', 'emu-n3'],
    ['claude', 'anthropic', 'claude-opus-4-5-emu-n3'],
    ['gemini', 'google', 'gemini-3-flash-emu-n3'],
  ] as const)
    await server.addModel(person, { name, provider: providerName, version, config })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

describe.each(RECORDED)('$name', ({ path, headers, body, ignored }) => {
  const ask = (model: string, more: object = {}) =>
    server.call('POST', path, { token: person.token, headers, body: { ...body, model, ...more } })

  test.each([true, false])('is answered, with stream: %s', async (stream) => {
    const answer = await ask('compatible', { stream })
    expect([answer.status, answer.headers.get('x-ignored-parameters')]).toEqual([200, ignored.join(', ')])
    expect(answer.text).toContain('quick')
    const sent = provider.requests.at(-1)?.body as { messages: { role: string }[] }
    expect(sent.messages[0]?.role).toBe('system')
    expect(sent.messages.at(-1)?.role).toBe('user')
  })

  test.each(['claude', 'gemini'])('is answered by %s', async (model) => {
    // These providers know no verbosity, which changes the reply.
    const more = 'text' in body ? { text: {} } : {}
    expect((await ask(model, more)).status).toBe(200)
  })
})
