import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer, Person } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Messages of the role `system` within a conversation of /anthropic/v1, as Claude Code sends them. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let person: Person
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  person = await server.signUp()
  const config = { base_url: `${provider.url}/v1`, api_key: 'k', capabilities: ['text', 'tools'] }
  for (const [name, providerName, version] of [
    ['claude', 'anthropic', 'claude-opus-4-6-emu-n2'],
    ['gpt', 'openai', 'gpt-5-emu-n2'],
    ['compatible', 'openai-compatible', 'emu-n2'],
  ] as const)
    await server.addModel(person, { name, provider: providerName, version, config })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const ask = (body: object, path = '/anthropic/v1/messages'): Promise<Answer> =>
  server.call('POST', path, {
    token: person.token,
    body: { model: 'claude', max_tokens: 4_000, ...body },
  })
const sent = () => provider.requests.at(-1)?.body as Record<string, unknown>

describe('instructions within the conversation', () => {
  const system = (content: unknown) => ({ role: 'system', content })
  const user = (content: unknown) => ({ role: 'user', content })
  const blocks = [
    { type: 'text', text: 'Be', cache_control: { type: 'ephemeral' } },
    { type: 'text', text: 'brief.' },
  ]
  const call = { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'weather', input: {} }] }
  const result = { type: 'tool_result', tool_use_id: 't', content: 'rain' }
  type Sent = { role: string; content: string | { type: string; text?: string }[] }
  const rolesSent = () =>
    (sent()['messages'] as Sent[]).map(({ role, content }) => [
      role,
      typeof content === 'string' || content === null
        ? content
        : content.map((part) => part.text ?? part.type).join('|'),
    ])

  test.each<[object[], [string, string | null][], [string, string][]]>([
    [
      [user('a'), system('Be brief.'), user('b')],
      [
        ['user', 'a'],
        ['system', 'Be brief.'],
        ['user', 'b'],
      ],
      [['user', 'a|Be brief.|b']],
    ],
    [
      [user('a'), system([{ type: 'text', text: ' ' }, ...blocks]), user([{ type: 'text', text: 'b' }])],
      [
        ['user', 'a'],
        ['system', 'Be\n\nbrief.'],
        ['user', 'b'],
      ],
      [['user', 'a|Be\n\nbrief.|b']],
    ],
    [
      [user('a'), { role: 'assistant', content: 'x' }, user('b'), system('Be brief.')],
      [
        ['user', 'a'],
        ['assistant', 'x'],
        ['user', 'b'],
        ['system', 'Be brief.'],
      ],
      [
        ['user', 'a'],
        ['assistant', 'x'],
        ['user', 'b|Be brief.'],
      ],
    ],
    [
      [system('Be brief.'), user('a')],
      [
        ['system', 'Be brief.'],
        ['user', 'a'],
      ],
      [['user', 'Be brief.|a']],
    ],
    [
      [user('a'), call, system('Be brief.'), user([result, { type: 'text', text: 'b' }])],
      [
        ['user', 'a'],
        ['assistant', null],
        ['tool', 'rain'],
        ['system', 'Be brief.'],
        ['user', 'b'],
      ],
      [
        ['user', 'a'],
        ['assistant', 'tool_use'],
        ['user', 'tool_result|Be brief.|b'],
      ],
    ],
    [
      [user('a'), call, user([result]), system('Be brief.')],
      [
        ['user', 'a'],
        ['assistant', null],
        ['tool', 'rain'],
        ['system', 'Be brief.'],
      ],
      [
        ['user', 'a'],
        ['assistant', 'tool_use'],
        ['user', 'tool_result|Be brief.'],
      ],
    ],
    [[user('a'), system(' \n')], [['user', 'a']], [['user', 'a']]],
    [[system('Only this.')], [['user', 'Only this.']], [['user', 'Only this.']]],
  ])('keep their place, or join a turn of the user: %j', async (messages, placed, folded) => {
    for (const model of ['compatible', 'gpt']) {
      expect((await ask({ model, messages, system: 'First.' })).status).toBe(200)
      expect(rolesSent()).toEqual([['system', 'First.'], ...placed])
    }
    expect((await ask({ messages, system: 'First.' })).status).toBe(200)
    expect(rolesSent()).toEqual(folded)
    expect(JSON.stringify(sent()['system'])).not.toContain('brief')
  })

  test('are counted', async () => {
    const count = async (messages: object[]): Promise<number> => {
      const { status, body } = await ask({ messages }, '/anthropic/v1/messages/count_tokens?beta=true')
      expect(status).toBe(200)
      return body.input_tokens
    }
    const without = await count([user('a')])
    expect(await count([user('a'), system('Keep all of your answers short.')])).toBeGreaterThan(without + 4)
    expect(await count([user('a'), system(blocks), user('b')])).toBeGreaterThan(without)
  })

  test.each(['tool', 'developer', 'System', '', 'function'])('are not those of the role %j', async (role) => {
    const { status, body } = await ask({ messages: [user('a'), { role, content: 'x' }] })
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('messages.1.role')])
  })
})
