import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, parseEvents } from '#tests/support/client.ts'
import { signUpWithModel } from '#tests/support/models.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const withModel = async (version: string, config: object = {}): Promise<Person> =>
  (await signUpWithModel(server, provider, version, config)).person
const ask = (person: Person, body: object, query = '') =>
  server.call('POST', `/api/chat/prompt${query}`, { token: person.token, body })
const ledgerOf = async (
  person: Person,
): Promise<{ kind: string; usage: object | null; reason: string | null }[]> => {
  const path = `/api/billing/ledger?org_id=${person.organizationId}`
  return (await server.call('GET', path, { token: person.token })).body.data
}
interface SentBody {
  messages: { role: string; content: string }[]
  max_tokens?: number
  max_completion_tokens?: number
}
const sent = (): SentBody => (provider.requests.at(-1) as { body: SentBody }).body

describe('prompts', () => {
  test('are streamed as specified, and charged', async () => {
    const person = await withModel('emu-n4')
    const answer = await ask(person, { text: 'Bees', num_prompts: 3, prompt_type: 'creative' })
    expect(answer.headers.get('content-type')).toContain('text/event-stream')
    const events = parseEvents(answer.text).map(({ data }) => data)
    expect(events).toHaveLength(5)
    expect(events.every((data) => Object.keys(data).join() === 'content')).toBe(true)
    expect(events.at(-1)).toEqual({ content: 'DONE' })
    expect(sent().messages[0]?.content).toContain('3 different prompts')
    expect(sent().messages[1]?.content).toBe('Bees')
    const [debit, hold] = await ledgerOf(person)
    expect([debit?.kind, hold?.kind]).toEqual(['DEBIT', 'HOLD'])
    const balance = await server.call('GET', `/api/billing/balance?org_id=${person.organizationId}`, {
      token: person.token,
    })
    expect(balance.body.held).toBe(0)
    expect(balance.body.balance).toBeLessThan(1_000_000)
  })

  test.each([
    ['creative', 'imaginative'],
    ['task', 'instruction'],
    ['question', 'question'],
    ['continuation', 'continue the text'],
  ])('of type %s include the type in the request to the model', async (kind, word) => {
    const person = await withModel('emu-n2')
    expect((await ask(person, { text: 'Bees', prompt_type: kind })).status).toBe(200)
    expect(sent().messages[0]?.content).toContain(word)
  })

  test('default to one task by the chat model', async () => {
    const person = await withModel('emu-n2')
    await ask(person, { text: 'Bees' })
    expect(sent().messages[0]?.content).toMatch(/one prompt.*instruction/)
  })

  test('use a reasoning model on request if there is one', async () => {
    const person = await withModel('emu-n2')
    await server.addModel(person, {
      provider: 'openai-compatible',
      version: 'emu-n3-r5',
      config: { base_url: `${provider.url}/v1`, api_key: 'k', capabilities: ['text', 'reasoning'] },
    })
    const answer = await ask(person, { text: 'Bees', model: 'reason' })
    expect((sent() as unknown as { model: string }).model).toBe('emu-n3-r5')
    expect(parseEvents(answer.text).map(({ data }) => Object.keys(data)[0])).toEqual(Array(4).fill('content'))
  })

  test('are not ended by a token with the text DONE', async () => {
    const person = await withModel('emu')
    const events = parseEvents((await ask(person, { text: 'say: DONE' })).text).map(
      ({ data }) => data['content'],
    )
    expect(events.filter((content) => content === 'DONE')).toHaveLength(1)
    expect(events.slice(0, -1).join('')).toBe('DONE')
  })

  test('that fail report it in the stream, and only written tokens are charged', async () => {
    const failing = await withModel('emu-err500')
    const answer = await ask(failing, { text: 'Bees' })
    expect(parseEvents(answer.text).map(({ data }) => data)).toEqual([{ error: expect.any(String) }])
    expect((await ledgerOf(failing)).map(({ kind }) => kind).slice(0, 2)).toEqual(['RELEASE', 'HOLD'])
    const cut = await withModel('emu-n10-cut')
    const half = parseEvents((await ask(cut, { text: 'Bees' })).text)
    expect(half.length).toBeGreaterThan(1)
    expect(half.at(-1)?.data['error']).toBeDefined()
    expect((await ledgerOf(cut)).map(({ kind }) => kind).slice(0, 2)).toEqual(['DEBIT', 'HOLD'])
  })

  test('without credits are refused, even concurrent ones', async () => {
    const person = await withModel('emu-n2-gap20')
    await server.server.services.database.sql`
      update credit_accounts set balance = 1 where organization_id = ${person.organizationId}`
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(person, { text: 'Bees' })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const refused = answers.find(({ status }) => status !== 200)
    expect([refused?.status, refused?.body.detail]).toEqual([402, 'Insufficient credits to use this model.'])
  })

  test('belong to the named organization if the caller is a member', async () => {
    const [person, stranger] = [await withModel('emu-n2'), await server.signUp()]
    expect((await ask(person, { text: 'x' }, `?org_id=${person.organizationId}`)).status).toBe(200)
    expect((await ask(stranger, { text: 'x' }, `?org_id=${person.organizationId}`)).status).toBe(404)
  })

  test.each([
    {},
    { text: '' },
    { text: ' ' },
    { text: 'x', num_prompts: 0 },
    { text: 'x', num_prompts: 11 },
    { text: 'x', prompt_type: 'poem' },
    { text: 'x', model: 'gpt-5' },
    { text: 'x', count: 2 },
  ])('%o is refused', async (body) => {
    expect((await ask(await server.signUp(), body)).status).toBe(400)
  })
})
