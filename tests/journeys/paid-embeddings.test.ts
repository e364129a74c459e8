import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ModelFinder, PaidCalls } from '#parts/llm/index.ts'
import { countTokens } from '#platform/models/index.ts'
import { ModelError } from '#platform/models/types.ts'
import { balanceOf, kindsOf, ledgerOf } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { librarian } from '#tests/support/knowledge.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Embeddings by a provider are charged by tokens (docs/billing.md). */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let calls: PaidCalls
const NEVER_ABORTED = new AbortController().signal

beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  calls = new PaidCalls(server.server.services)
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const modelOf = (person: Person, version: string) =>
  server.addModel(person, {
    name: version,
    provider: 'openai-compatible',
    version,
    config: {
      base_url: `${provider.url}/v1`,
      api_key: 'k',
      capabilities: ['embedding'],
      input_ratio: 2,
      output_ratio: 5,
    },
  })
/** Creates a person with an embedding model. */
async function payer(version: string) {
  const person = await server.signUp()
  const modelId = await modelOf(person, version)
  const model = await new ModelFinder(server.server.services).find(person.organizationId, modelId)
  const embed = (texts: string[], signal = NEVER_ABORTED, by = calls) =>
    by.embed({ ...person, apiKeyId: null }, model, texts, 'document', signal)
  return { person, embed, modelId }
}
async function expectReleased(person: Person, reason?: string): Promise<void> {
  const entries = await ledgerOf(server, person)
  expect(kindsOf(entries)).toEqual(['HOLD', 'RELEASE'])
  expect(entries[1]).toMatchObject({ amount: 0, usage: null, ...(reason && { reason }) })
  expect(await balanceOf(server, person)).toMatchObject({ balance: 1_000_000, held: 0 })
}

test('the usage that the provider reports is charged', async () => {
  const { person, embed } = await payer('emu-told')
  const { vectors, usage } = await embed(['one', 'two'])
  expect([vectors.length, usage]).toEqual([2, { inputTokens: 6, outputTokens: 0 }])
  const entries = await ledgerOf(server, person)
  expect(kindsOf(entries)).toEqual(['HOLD', 'DEBIT'])
  expect(entries[1]).toMatchObject({
    usage: { input_tokens: 6, output_tokens: 0 },
    amount: -12,
    reason: 'embedding of 2 texts',
  })
  expect(await balanceOf(server, person)).toMatchObject({ balance: 1_000_000 - 12, held: 0 })
})

test('many texts are sent in several requests, and are one ledger entry', async () => {
  const { person, embed } = await payer('emu-many')
  const before = provider.requests.length
  await embed(Array.from({ length: 100 }, (_, place) => `text ${place}`))
  expect(provider.requests.length - before).toBe(2)
  const entries = await ledgerOf(server, person)
  expect(kindsOf(entries)).toEqual(['HOLD', 'DEBIT'])
  expect(entries[1]?.usage).toEqual({ input_tokens: 300, output_tokens: 0 })
})

test('the tokens are counted if the provider reports none', async () => {
  const { person, embed } = await payer('emu-nousage')
  await embed(['The shop opens at nine.'])
  const [, debit] = await ledgerOf(server, person)
  expect(debit).toMatchObject({
    kind: 'DEBIT',
    usage: { input_tokens: await countTokens('The shop opens at nine.'), output_tokens: 0 },
    reason: 'embedding of 1 text',
  })
})

test.each(['emu-err401', 'emu-fewer', 'emu-html'])(
  'a failing provider costs nothing: %s',
  async (version) => {
    const { person, embed } = await payer(version)
    const error = await embed(['one', 'two']).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ModelError)
    await expectReleased(person, (error as ModelError).message)
  },
)

test('nothing is sent without credits', async () => {
  const { person, embed } = await payer('emu-poor')
  await server.server.services.database.sql`
    update credit_accounts set balance = 0 where organization_id = ${person.organizationId}`
  const before = provider.requests.length
  await expect(embed(['one'])).rejects.toMatchObject({ code: 'billing.insufficient_credits', status: 402 })
  expect(provider.requests).toHaveLength(before)
  expect(await ledgerOf(server, person)).toEqual([])
})

describe('a call that hangs', () => {
  test('ends when the client of /openai disconnects, and the sent texts are charged', async () => {
    const { person } = await payer('emu-hang')
    const leaving = new AbortController()
    const texts = Array.from({ length: 300 }, (_, index) => `Text ${index} of a shop that opens at nine.`)
    const asked = server.call('POST', `/openai/v1/embeddings?org_id=${person.organizationId}`, {
      token: person.token,
      body: { model: 'emu-hang', input: texts },
      signal: leaving.signal,
    })
    const outcome = asked.then(
      () => 'answered',
      () => 'left',
    )
    await expect.poll(() => provider.stats.open).toBe(3)
    leaving.abort()
    expect(await outcome).toBe('left')
    await expect.poll(() => provider.stats.open).toBe(0)
    await expect.poll(async () => kindsOf(await ledgerOf(server, person))).toEqual(['HOLD', 'DEBIT'])
    // Three requests of 64 texts each were in progress.
    const input_tokens = await countTokens(texts.slice(0, 192).join('\n'))
    expect((await ledgerOf(server, person))[1]).toMatchObject({ usage: { input_tokens, output_tokens: 0 } })
  })

  test('costs nothing when the caller aborts it', async () => {
    const { person, embed } = await payer('emu-hang')
    const abort = new AbortController()
    const embedding = embed(['one'], abort.signal)
    await expect.poll(() => calls.holdIds()).toHaveLength(1)
    await expect.poll(() => provider.stats.open).toBe(1)
    expect(await balanceOf(server, person)).toMatchObject({ held: 1 })
    abort.abort('enough')
    await expect(embedding).rejects.toBe('enough')
    expect(calls.holdIds()).toEqual([])
    await expectReleased(person)
    await expect.poll(() => provider.stats.open).toBe(0)
  })

  test('ends when the server stops, without a charge', async () => {
    const { person, embed } = await payer('emu-hang')
    const stopping = new PaidCalls(server.server.services)
    const embedding = embed(['one'], NEVER_ABORTED, stopping).catch((error: unknown) => error)
    await expect.poll(() => provider.stats.open).toBe(1)
    await stopping.close(10, Promise.resolve())
    expect(await embedding).toBeInstanceOf(Error)
    expect(stopping.holdIds()).toEqual([])
    await expectReleased(person)
  })
})

describe('a knowledge base', () => {
  const CONTENT = 'The shop opens at nine.'
  const source = { type: 'text', config: { name: 'Hours', content: CONTENT } }

  test('is charged for embedding documents and queries, but not with the built-in embedding', async () => {
    const { person, modelId } = await payer('emu-kb')
    const library = librarian(server, person)
    const free = await library.create({ sources: [source] })
    await library.settle(free)
    const search = (kbId: string) =>
      library.call('POST', 'search', { kb_id: kbId }, { query: 'When does it open?' })
    expect((await search(free)).body.results).toHaveLength(1)
    expect(await ledgerOf(server, person)).toEqual([])

    const paid = await library.create({ sources: [source], embedding_model: modelId })
    expect(await library.settle(paid)).toMatchObject({ status: 'ready' })
    const filled = await ledgerOf(server, person)
    expect(filled.filter(({ kind }) => kind === 'DEBIT').length).toBeGreaterThan(0)
    expect((await search(paid)).body.results).toHaveLength(1)
    const asked = (await ledgerOf(server, person)).slice(filled.length)
    expect(kindsOf(asked)).toEqual(['HOLD', 'DEBIT'])
    expect(asked[1]).toMatchObject({ amount: -6, reason: 'embedding of 1 text' })
  })

  test("with a provider's embedding cannot be queried without credits", async () => {
    const { person, modelId } = await payer('emu-kb')
    const library = librarian(server, person)
    const kb = await library.create({ sources: [source], embedding_model: modelId })
    await library.settle(kb)
    await server.server.services.database.sql`
      update credit_accounts set balance = 0 where organization_id = ${person.organizationId}`
    for (const [path, body] of [
      ['search', {}],
      ['query', { model: await server.addModel(person, { provider: 'demo', version: 'parley-demo' }) }],
    ] as const)
      expect((await library.call('POST', path, { kb_id: kb }, { query: 'When?', ...body })).status).toBe(402)
  })
})
