import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { balanceOf, kindsOf, ledgerOf } from '#tests/support/chats.ts'
import { type Person, parseEvents, type StreamEvent } from '#tests/support/client.ts'
import { type Librarian, librarian } from '#tests/support/knowledge.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { StreamReader } from '#tests/support/reader.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { addPowerlessMember } from '#tests/support/tenants.ts'

/** A knowledge base answers questions with a model at the emulated provider. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let person: Person
let library: Librarian
let kb: string

beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  person = await server.signUp()
  library = librarian(server, person)
  kb = await library.create({
    sources: [
      { type: 'text', config: { name: 'Hours', content: '# Opening hours\n\nThe shop opens at nine.' } },
      { type: 'text', config: { name: 'Place', content: 'The shop is in Berlin, near the river.' } },
      { type: 'text', config: { name: 'Owner', content: 'The shop belongs to Ada.' } },
    ],
  })
  await library.settle(kb)
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const modelOf = (version: string, config: object = {}, owner = person) =>
  server.addModel(owner, {
    name: version,
    provider: 'openai-compatible',
    version,
    config: { base_url: `${provider.url}/v1`, api_key: 'k', ...config },
  })
/** A question that ends with `say: …` sets the emulated model's answer. */
const ask = (model: string, body: object = {}, at = library, kbId = kb) =>
  at.call('POST', 'query', { kb_id: kbId }, { query: 'When does the shop open?', model, ...body })
const saying = (words: string) => `When does the shop open? say: ${words}`

interface SentBody {
  messages: { role: string; content: string }[]
  temperature?: number
  tools?: unknown
}
const sent = (): SentBody => provider.requests.at(-1)?.body as SentBody
const openStream = (model: string, body: object = {}) =>
  StreamReader.open(`${server.url}/api/kb/query?kb_id=${kb}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${person.token}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ query: 'When does the shop open?', model, ...body }),
  })
const contentOf = (events: StreamEvent[]): string =>
  events.map(({ event, data }) => (event === 'content' ? data['content'] : '')).join('')
/** Creates a person with the same knowledge base and a separate ledger. */
async function another(): Promise<{ person: Person; library: Librarian; kb: string }> {
  const somebody = await server.signUp()
  const own = librarian(server, somebody)
  const sources = [{ type: 'text', config: { name: 'Hours', content: 'The shop opens at nine.' } }]
  const kbId = await own.create({ sources })
  await own.settle(kbId)
  return { person: somebody, library: own, kb: kbId }
}

describe('an answer', () => {
  test('comes from the model of this name or id, which gets the passages of a search', async () => {
    const model = await modelOf('emu-n6')
    const found = await library.call(
      'POST',
      'search',
      { kb_id: kb },
      { query: 'When does the shop open?', score_threshold: 0.1 },
    )
    const { status, body } = await ask('emu-n6')
    expect(status).toBe(200)
    expect(body.answer).toBe('the quick brown fox jumps over')
    expect(body.sources.length).toBeGreaterThan(1)
    expect(body.sources).toEqual(
      found.body.results.map((result: object, place: number) => ({
        number: place + 1,
        ...result,
        is_cited: false,
      })),
    )
    expect(body.sources[0]).toMatchObject({ document_name: 'Hours', headings: ['Opening hours'] })
    expect(body.citations).toEqual([])
    const [system, question] = sent().messages
    expect(sent().messages).toHaveLength(2)
    expect(system).toMatchObject({ role: 'system' })
    expect(system?.content).not.toContain('nine')
    expect(question?.content).toMatch(/^When does the shop open\?\n\nPassages from the knowledge base follow/)
    expect(question?.content).toContain(
      '<passage number="1" document="Hours" headings="Opening hours">\n# Opening hours\n\nThe shop opens at nine.\n</passage>',
    )
    expect(sent()).not.toHaveProperty('temperature')
    expect((await ask(model)).body.answer).toBe(body.answer)
  })

  test('cites only given passages; other numbers are removed', async () => {
    await modelOf('emu-cites')
    const { body } = await ask('emu-cites', { query: saying('At nine [1], in Berlin [1, 9][2]. Maybe [7].') })
    expect(body.answer).toBe('At nine [1], in Berlin [1][2]. Maybe.')
    expect(body.citations).toEqual([1, 2])
    expect(body.sources.map(({ is_cited }: { is_cited: boolean }) => is_cited).slice(0, 2)).toEqual([
      true,
      true,
    ])
  })

  test('follows the parameters', async () => {
    await modelOf('emu-n2')
    const params = { temperature: 0.3, include_sources: false, system_prompt: 'Be brief.' }
    const { body } = await ask('emu-n2', { params, limit: 1 })
    expect(Object.keys(body).sort()).toEqual(['answer', 'citations', 'usage'])
    expect(sent().temperature).toBe(0.3)
    expect(sent().messages[0]?.content).toMatch(/^Be brief\.\n\nAnswer the question using only the passages/)
    expect(sent().messages[1]?.content.match(/<passage /g)).toHaveLength(1)
  })

  test('uses only documents that match the filter', async () => {
    await modelOf('emu-n3')
    const { body } = await ask('emu-n3', { filter: { name: 'Owner' } })
    expect(body.sources.map(({ document_name }: { document_name: string }) => document_name)).toEqual([
      'Owner',
    ])
  })

  test('says that the answer is unknown, free of charge, if no passage fits', async () => {
    const { person: poor, library: own, kb: ownKb } = await another()
    const model = await modelOf('emu-n4', {}, poor)
    await server.server.services.database.sql`
      update credit_accounts set balance = 0 where organization_id = ${poor.organizationId}`
    const before = provider.requests.length
    const { status, body } = await ask(model, { query: 'Zebras' }, own, ownKb)
    expect([status, body]).toEqual([
      200,
      {
        answer: 'I do not know. This knowledge base contains nothing about the question.',
        sources: [],
        citations: [],
        usage: { input_tokens: 0, output_tokens: 0 },
      },
    ])
    expect(await ledgerOf(server, poor)).toEqual([])
    expect(provider.requests).toHaveLength(before)
    const empty = await own.create()
    expect((await ask(model, {}, own, empty)).body.sources).toEqual([])
    expect((await ask(model, {}, own, ownKb)).status).toBe(402)
  })

  test('uses as many passages as fit into the context window', async () => {
    const sentences = Array.from({ length: 60 }, (_, place) => `The shop opens at ${place}.`)
    const wide = await library.create({
      sources: [{ type: 'text', config: { name: 'Long', content: sentences.join('\n\n') } }],
      chunking: { max_tokens: 60, overlap_tokens: 0 },
    })
    await library.settle(wide)
    const tokens = 400
    await modelOf('emu-small', { context_window: tokens })
    await modelOf('emu-tiny', { context_window: 256 })
    const { body } = await ask('emu-small', { limit: 50 }, library, wide)
    const count = body.sources.length
    expect(count).toBeGreaterThan(0)
    expect(count).toBeLessThan(10)
    expect(sent().messages[1]?.content.match(/<passage /g)).toHaveLength(count)
    expect(Buffer.byteLength(JSON.stringify(sent().messages))).toBeLessThan(tokens * 4)
    const params = { system_prompt: 'Be brief. '.repeat(80) }
    const refused = await ask('emu-tiny', { params }, library, wide)
    expect([refused.status, refused.body.code]).toEqual([400, 'kb.window_too_small'])
  })

  test('is in the envelope under /v1', async () => {
    await modelOf('emu-n7')
    const answer = await server.call('POST', `/v1/kb/query?kb_id=${kb}`, {
      token: person.token,
      body: { query: 'When does the shop open?', model: 'emu-n7' },
    })
    expect(answer.body).toMatchObject({ status: 'success', data: { citations: [] } })
  })
})

describe('the charge', () => {
  test.each(['emu-n6', 'emu-n6-nousage'])('matches `usage`: %s', async (version) => {
    const { person: payer, library: own, kb: ownKb } = await another()
    const model = await modelOf(version, { input_ratio: 2, output_ratio: 3 }, payer)
    const { body } = await ask(model, {}, own, ownKb)
    const { input_tokens, output_tokens } = body.usage
    expect(Math.min(input_tokens, output_tokens)).toBeGreaterThan(0)
    const entries = await ledgerOf(server, payer)
    expect(kindsOf(entries)).toEqual(['HOLD', 'DEBIT'])
    expect(entries[1]).toMatchObject({
      usage: body.usage,
      amount: -(input_tokens * 2 + output_tokens * 3),
    })
    expect(await balanceOf(server, payer)).toMatchObject({ held: 0 })
  })

  test('is zero if the provider fails before the first token, and covers the written tokens if it fails later', async () => {
    const { person: payer, library: own, kb: ownKb } = await another()
    const down = await modelOf('emu-err500', {}, payer)
    const refused = await ask(down, {}, own, ownKb)
    expect([refused.status, refused.body.code]).toEqual([503, 'llm.failed'])
    expect(refused.body.detail).not.toContain('key-of-a-tenant')
    expect(kindsOf(await ledgerOf(server, payer))).toEqual(['HOLD', 'RELEASE'])
    const cut = await modelOf('emu-n6-errmid', {}, payer)
    expect((await ask(cut, {}, own, ownKb)).status).toBe(503)
    const entries = await ledgerOf(server, payer)
    expect(kindsOf(entries)).toEqual(['HOLD', 'RELEASE', 'HOLD', 'DEBIT'])
    expect(entries[3]?.usage?.output_tokens).toBe(3)
  })
})

describe('refused requests', () => {
  test.each([
    ['an unknown model', { model: 'nobody' }, 404, 'llm.not_found'],
    ['an unknown id', { model: randomUUID() }, 404, 'llm.not_found'],
    ['an inactive model', { model: 'off' }, 400, 'llm.inactive'],
    ['a model without a key', { model: 'keyless' }, 400, 'llm.not_configured'],
    ['a model that only embeds', { model: 'embedder' }, 400, 'llm.cannot_chat'],
    ['a rerank model that only embeds', { rerank: 'embedder' }, 400, 'llm.cannot_chat'],
    ['a filter without a condition', { filter: { a: { near: 1 } } }, 400, 'kb.filter_invalid'],
    ['a temperature of 2', { params: { temperature: 2 } }, 400, 'request.invalid'],
    ['an unknown parameter', { params: { top_p: 1 } }, 400, 'request.invalid'],
    ['an empty question', { query: ' ' }, 400, 'request.invalid'],
    ['a limit of 0', { limit: 0 }, 400, 'request.invalid'],
  ])('%s, with and without a stream', async (_what, body, status, code) => {
    const answers = [await ask('emu-n6', body), await openStream('emu-n6', body)]
    expect(answers.map((answer) => answer.status)).toEqual([status, status])
    expect((answers[0] as { body: { code: string } }).body.code).toBe(code)
  })
  beforeAll(async () => {
    await server.addModel(person, { name: 'off', provider: 'demo', version: 'parley-demo', is_active: false })
    await server.addModel(person, { name: 'keyless', provider: 'openai', version: 'gpt-4o' })
    await modelOf('embedder', { capabilities: ['embedding'] })
  })

  test("another organization's knowledge base, or a caller without kb:read", async () => {
    const { library: stranger } = await another()
    expect((await ask('emu-n6', {}, stranger)).status).toBe(404)
    const writer = await addPowerlessMember(server, person.organizationId, ['chats:write'])
    const answer = await ask('emu-n6', {}, librarian(server, writer))
    expect([answer.status, answer.body.detail]).toEqual([403, 'Missing permission: kb:read'])
  })
})

describe('a stream', () => {
  test('has the sources, then the answer in pieces, then citations and usage', async () => {
    await modelOf('emu-words')
    const query = saying('At nine [1], or [1, 7] ten [9] maybe.')
    const stream = await openStream('emu-words', { query })
    expect(stream.headers.get('content-type')).toContain('text/event-stream')
    const events = await stream.take()
    const names = events.map(({ event }) => event)
    expect(names[0]).toBe('sources')
    expect(names.at(-1)).toBe('end')
    expect(new Set(names.slice(1, -1))).toEqual(new Set(['content']))
    expect(names.length).toBeGreaterThan(5)
    expect(contentOf(events)).toBe('At nine [1], or [1] ten maybe.')
    const { body } = await ask('emu-words', { query })
    expect(events[0]?.data['sources']).toEqual(
      body.sources.map(({ is_cited: _isCited, ...source }: { is_cited: boolean }) => source),
    )
    expect(events.at(-1)?.data).toEqual({ citations: body.citations, usage: body.usage })
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
  })

  test('says that the answer is unknown, and omits the sources on request', async () => {
    await modelOf('emu-n5')
    const events = await (await openStream('emu-n5', { query: 'Zebras' })).take()
    expect(events.map(({ event }) => event)).toEqual(['sources', 'content', 'end'])
    expect(events.at(-1)?.data).toEqual({ citations: [], usage: { input_tokens: 0, output_tokens: 0 } })
    const bare = await openStream('emu-n5', { params: { include_sources: false } })
    expect((await bare.take())[0]?.event).toBe('content')
  })

  test('ends with the error', async () => {
    await modelOf('emu-err503')
    const failed = await (await openStream('emu-err503')).take()
    expect(failed.map(({ event }) => event)).toEqual(['sources', 'error'])
    expect(failed.at(-1)?.data).toEqual({ error: expect.any(String) })
    await modelOf('emu-n8-cut')
    const events = await (await openStream('emu-n8-cut')).take()
    expect(events.at(-1)?.event).toBe('error')
    expect(events.at(-1)?.data['error']).toEqual(expect.any(String))
    expect(contentOf(events)).not.toBe('')
  })

  test('is sent only to clients that prefer an event stream', async () => {
    await modelOf('emu-n9')
    const answer = await server.call('POST', `/api/kb/query?kb_id=${kb}`, {
      token: person.token,
      body: { query: 'When does the shop open?', model: 'emu-n9' },
      headers: { accept: 'application/json, text/event-stream;q=0.1' },
    })
    expect(parseEvents(answer.text)).toEqual([])
    expect(answer.body.answer).toContain('fox')
  })

  test('continues without its client, and the whole call is charged', async () => {
    await modelOf('emu-n10-gap20')
    const before = await ledgerOf(server, person)
    const stream = await openStream('emu-n10-gap20')
    await stream.take(2)
    stream.leave()
    await expect
      .poll(async () => kindsOf((await ledgerOf(server, person)).slice(before.length)))
      .toEqual(['HOLD', 'DEBIT'])
    const debit = (await ledgerOf(server, person)).at(-1)
    expect(debit?.usage?.output_tokens).toBe(10)
  })
})

test('the demo model answers with the passages and their numbers', async () => {
  await server.addModel(person, { name: 'demo', provider: 'demo', version: 'parley-demo' })
  const { body } = await ask('demo', { limit: 2 })
  expect(body.answer).toContain('not a language model')
  expect(body.answer).toContain('> When does the shop open?\n\n')
  expect(body.answer).toContain('> The shop opens at nine.\n>\n> (Hours) [1]')
  expect(body.citations).toEqual([1, 2])
})
