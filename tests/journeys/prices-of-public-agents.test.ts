import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AgentKeeper, agentKeeper } from '#tests/support/agents.ts'
import { balanceOf, ledgerOf } from '#tests/support/chats.ts'
import { librarian, textSource } from '#tests/support/knowledge.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { administratorToken } from '#tests/support/tenants.ts'

/** The prices for users of another organization's agent, which the agent's owner must not be able to set. */

const RATIO = 1_000_000
/** More than any message of these tests costs at ratio 1, and less than the cheapest attack would cost. */
const FAIR = 5_000

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let owner: AgentKeeper
beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer()
  owner = await agentKeeper(server)
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const ownModel = (version: string, config: object = {}) =>
  server.addModel(owner.person, {
    provider: 'openai-compatible',
    version,
    config: { base_url: `${provider.url}/v1`, input_ratio: RATIO, output_ratio: RATIO, ...config },
  })

const publicAgent = async (version: string, more: Record<string, unknown> = {}): Promise<string> =>
  owner.make({ is_public: true, model_id: await ownModel(version), ...more })

/** Calls as a new user of another organization. Returns the total cost. */
async function costTo(ask: (stranger: AgentKeeper) => Promise<unknown>): Promise<number> {
  const stranger = await agentKeeper(server)
  const before = await balanceOf(server, stranger.person)
  await ask(stranger)
  await expect.poll(async () => (await balanceOf(server, stranger.person)).held).toBe(0)
  return before.balance - (await balanceOf(server, stranger.person)).balance
}

const inChat =
  (agentId: string) =>
  ({ person }: AgentKeeper) =>
    server.say(person, { agent_id: agentId }, { content: 'Hi' })

const byOpenAi =
  (agentId: string) =>
  async ({ person }: AgentKeeper): Promise<void> => {
    const answer = await server.call('POST', '/openai/v1/chat/completions', {
      token: person.token,
      body: { model: agentId, messages: [{ role: 'user', content: 'Hi' }] },
    })
    expect(answer.status).toBe(200)
  }

describe('another organization pays for a public agent', () => {
  test.each([
    ['in a chat', inChat],
    ['by /openai', byOpenAi],
  ])("one credit per token %s, regardless of the owner's ratios", async (_, asks) => {
    const cost = await costTo(asks(await publicAgent('emu-n3')))
    expect(cost).toBeGreaterThan(0)
    expect(cost).toBeLessThan(FAIR)
  })

  test.each([
    ['in a chat', inChat],
    ['by /openai', byOpenAi],
  ])("for the tokens that this server counts %s, regardless of the owner's endpoint", async (_, asks) => {
    const cost = await costTo(asks(await publicAgent('emu-n3-claims90000000')))
    expect(cost).toBeGreaterThan(0)
    expect(cost).toBeLessThan(FAIR)
  })

  test("one credit per token for the embedding model of the agent's knowledge", async () => {
    const embedding_model = await ownModel('emu-vectors-claims90000', { capabilities: ['embedding'] })
    const library = librarian(server, owner.person)
    const { sql } = server.server.services.database
    const grant = { organization_id: owner.person.organizationId, amount: 1e12, reason: 'embeddings' }
    await server.call('POST', '/api/billing/credits', {
      token: await administratorToken(server),
      body: grant,
    })
    const kb = await library.create({ sources: [textSource('Hours', 'Opens at nine.')], embedding_model })
    expect(await library.settle(kb)).toMatchObject({ status: 'ready' })
    expect((await sql`select from ledger_entries where amount < -1e9`).count).toBeGreaterThan(0)
    const cost = await costTo(inChat(await publicAgent('emu-n3', { knowledge_base_ids: [kb] })))
    expect(cost).toBeGreaterThan(0)
    expect(cost).toBeLessThan(FAIR)
  })

  test("the administrator's ratios for a model of the environment", async () => {
    const token = await administratorToken(server)
    const { sql } = server.server.services.database
    const [demo] =
      await sql`select id from llm_models where organization_id is null and version = 'parley-demo'`
    const path = `/api/llm/update_environment_model?model_id=${demo?.['id']}`
    const body = { input_ratio: 1_000, output_ratio: 1_000 }
    expect((await server.call('PUT', path, { token, body })).status).toBe(200)
    const cost = await costTo(inChat(await owner.make({ is_public: true, model_id: demo?.['id'] })))
    expect(cost).toBeGreaterThan(FAIR)
  })
})

test("the agent's organization pays its own ratios", async () => {
  const token = await administratorToken(server)
  const grant = { organization_id: owner.person.organizationId, amount: 1e12, reason: 'own agent' }
  await server.call('POST', '/api/billing/credits', { token, body: grant })
  await inChat(await publicAgent('emu-n3'))(owner)
  const [, debit] = (await ledgerOf(server, owner.person)).slice(-2)
  expect(debit?.amount).toBeLessThan(-RATIO)
})
