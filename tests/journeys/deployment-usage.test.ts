import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ledgerOf } from '#tests/support/chats.ts'
import { create, type Deployment, deploy, makeAgent, talk, visit } from '#tests/support/deployments.ts'
import { librarian, textSource } from '#tests/support/knowledge.ts'
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

describe('usage', () => {
  const usage = ({ id, owner }: Pick<Deployment, 'id' | 'owner'>, query = '') =>
    server.call('GET', `/api/agent_deploy/usage?deployment_id=${id}${query}`, { token: owner.token })
  const today = () => new Date().toISOString().slice(0, 10)

  test("equals the organization's charges for the deployment, by day", async () => {
    const widget = await deploy(server, provider, { deployment_type: 'widget' })
    for (const token of [await visit(server, widget), widget.key])
      await talk(server, token, { content: 'Hello' })
    await deploy(server, provider)
    const entries = (await ledgerOf(server, widget.owner)).filter(({ kind }) => kind === 'DEBIT')
    const sum = (of: (entry: (typeof entries)[number]) => number) =>
      entries.reduce((total, entry) => total + of(entry), 0)
    const totals = {
      messages: 2,
      input_tokens: sum(({ usage: one }) => one?.input_tokens ?? 0),
      output_tokens: sum(({ usage: one }) => one?.output_tokens ?? 0),
      credits: -sum(({ amount }) => amount),
    }
    const { body } = await usage(widget)
    expect(body).toMatchObject({ deployment_id: widget.id, totals })
    expect(body.daily).toHaveLength(30)
    const withUse = body.daily.filter(({ messages }: { messages: number }) => messages > 0)
    expect(withUse).toEqual([{ date: expect.any(String), ...totals }])
    const before = (await usage(widget, '&from=2020-02-01&to=2020-03-01')).body
    expect(before.daily.map(({ date }: { date: string }) => date).slice(27, 30)).toEqual([
      '2020-02-28',
      '2020-02-29',
      '2020-03-01',
    ])
    expect(before.totals).toEqual({ messages: 0, input_tokens: 0, output_tokens: 0, credits: 0 })
  })

  test('includes the cost of retrieval, but not as a message', async () => {
    const owner = await server.signUp()
    const embedding_model = await server.addModel(owner, {
      provider: 'openai-compatible',
      version: 'emu-embedding',
      config: { base_url: `${provider.url}/v1`, capabilities: ['embedding'] },
    })
    const shelf = librarian(server, owner)
    const kbId = await shelf.create({ embedding_model, sources: [textSource('Hours', 'We open at nine.')] })
    await shelf.settle(kbId)
    const agentId = await makeAgent(server, owner, provider, undefined, { knowledge_base_ids: [kbId] })
    const before = (await ledgerOf(server, owner)).length
    const { body: made } = await create(server, owner, agentId)
    const { status } = await talk(server, made.api_key, { content: 'When do you open?' })
    expect(status).toBe(200)
    const debits = (await ledgerOf(server, owner)).slice(before).filter(({ kind }) => kind === 'DEBIT')
    expect(debits.map((entry) => entry.usage?.output_tokens === 0)).toEqual([true, false])
    const { body } = await usage({ id: made.id, owner })
    const input = debits.reduce((sum, entry) => sum + (entry.usage?.input_tokens ?? 0), 0)
    expect(body.totals).toMatchObject({ messages: 1, input_tokens: input })
  })

  test('is limited by from and to, at most 366 days apart', async () => {
    const made = await deploy(server, provider)
    const { body } = await usage(made, `&from=${today()}&to=${today()}`)
    expect(body.daily).toHaveLength(1)
    expect((await usage(made, '&from=2024-01-01&to=2024-12-31')).body.daily).toHaveLength(366)
    for (const [query, sentence] of [
      ['&from=2024-01-01&to=2025-01-01', 'The dates in from and to must be at most 366 days apart.'],
      ['&from=2024-01-02&to=2024-01-01', 'The date in from must not be later than the date in to.'],
      ['&from=2023-02-29', 'from must be a date such as 2026-01-31.'],
      ['&to=tomorrow', 'to must be a date such as 2026-01-31.'],
      ['&to=2024-1-1', 'to must be a date such as 2026-01-31.'],
    ]) {
      const answer = await usage(made, query)
      expect([answer.status, answer.body.detail]).toEqual([400, sentence])
    }
  })
})
