import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Person, parseEvents } from '#tests/support/client.ts'
import { create, type Deployment, deploy, makeAgent, update } from '#tests/support/deployments.ts'
import { librarian, textSource } from '#tests/support/knowledge.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { StreamReader } from '#tests/support/reader.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { toolsmith } from '#tests/support/toolsmith.ts'

/** The parts of /openai/v1 that openai-clients.test.ts doesn't test: billing, access to agents, and errors. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let person: Person
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  person = await server.signUp()
  await addModel('talker', 'emu-n12')
  await addModel('seer', 'emu-echo', { capabilities: ['text', 'vision'] })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const addModel = (name: string, version: string, config: object = {}, owner = person): Promise<string> =>
  server.addModel(owner, {
    name,
    provider: 'openai-compatible',
    version,
    config: { base_url: `${provider.url}/v1`, api_key: 'k', ...config },
  })
const post = (path: string, body: unknown, token = person.token): Promise<Answer> =>
  server.call('POST', `/openai/v1${path}`, { token, body })
const complete = (body: object, token = person.token): Promise<Answer> =>
  post('/chat/completions', { model: 'talker', messages: [{ role: 'user', content: 'hi' }], ...body }, token)
const ledgerOf = async (owner: Person) =>
  (
    await server.call('GET', `/api/billing/ledger?org_id=${owner.organizationId}`, {
      token: owner.token,
    })
  ).body.data as {
    kind: string
    amount: number
    usage: { input_tokens: number; output_tokens: number } | null
  }[]
const sent = () => (provider.requests.at(-1) as { body: { messages: { content: unknown }[] } }).body

const PNG = `data:image/png;base64,${Buffer.from('89504e470d0a1a0a0000000d', 'hex').toString('base64')}`

describe('a call', () => {
  test('opens a hold and debits the usage that the provider reports', async () => {
    const owner = await server.signUp()
    await addModel('mine', 'emu-n12', {}, owner)
    const { body } = await complete({ model: 'mine' }, owner.token)
    const [debit, hold] = await ledgerOf(owner)
    expect([debit?.kind, hold?.kind]).toEqual(['DEBIT', 'HOLD'])
    expect(debit?.usage).toEqual({
      input_tokens: body.usage.prompt_tokens,
      output_tokens: body.usage.completion_tokens,
    })
  })

  test("without credits gets 402 in OpenAI's format", async () => {
    const owner = await server.signUp()
    await addModel('mine', 'emu-n12', {}, owner)
    const { sql } = server.server.services.database
    await sql`update credit_accounts set balance = 0 where organization_id = ${owner.organizationId}`
    const { status, body } = await complete({ model: 'mine' }, owner.token)
    expect([status, body]).toEqual([
      402,
      {
        error: {
          message: 'Insufficient credits to use this model.',
          type: 'insufficient_quota',
          param: null,
          code: 'insufficient_quota',
        },
      },
    ])
  })

  test('ends at the provider when its client disconnects, and is charged', async () => {
    const owner = await server.signUp()
    await addModel('slow', 'emu-n2000-gap20', {}, owner)
    const reader = await StreamReader.open(`${server.url}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'slow', messages: [{ role: 'user', content: 'hi' }], stream: true }),
    })
    await reader.next()
    await reader.next()
    reader.leave()
    await expect.poll(async () => (await ledgerOf(owner))[0]?.kind).toBe('DEBIT')
  })

  test.each([
    ['/openai/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }],
    ['/openai/v1/responses', { input: 'hi' }],
  ])(
    'to %s without a stream ends when its client disconnects, and the usage is charged',
    async (path, rest) => {
      const owner = await server.signUp()
      await addModel('slow', 'emu-n2000-gap20', {}, owner)
      const leaving = new AbortController()
      const asked = server.call('POST', path, {
        token: owner.token,
        body: { model: 'slow', ...rest },
        signal: leaving.signal,
      })
      const outcome = asked.then(
        () => 'answered',
        () => 'left',
      )
      await expect.poll(async () => (await ledgerOf(owner))[0]?.kind).toBe('HOLD')
      leaving.abort()
      expect(await outcome).toBe('left')
      await expect.poll(async () => (await ledgerOf(owner))[0]?.kind).toBe('DEBIT')
      expect((await ledgerOf(owner))[0]?.usage?.output_tokens).toBeLessThan(2_000)
    },
  )

  test("can name its model by id, but not another organization's model", async () => {
    const stranger = await server.signUp()
    const id = await addModel('theirs', 'emu-n2', {}, stranger)
    expect((await complete({ model: id }, stranger.token)).status).toBe(200)
    for (const model of [id, 'theirs', 'nobody', crypto.randomUUID()]) {
      const { status, body } = await complete({ model })
      expect([status, body.error.code]).toEqual([404, 'model_not_found'])
    }
  })
})

describe('messages', () => {
  test('images are sent to vision models, from data: URLs and public addresses', async () => {
    const image = (url: string) => ({
      model: 'seer',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url } },
          ],
        },
      ],
    })
    expect((await complete(image(PNG))).status).toBe(200)
    expect(JSON.stringify(sent().messages)).toContain(PNG)
    for (const [url, reason] of [
      ['http://169.254.169.254/latest/meta-data', /not public|may not be reached|private/i],
      ['data:text/html;base64,PGI+', /base64 and have a type such as image/],
      ['data:image/png;base64,PGI+', /must be PNG, JPEG, WebP or GIF/],
      ['file:///etc/passwd', /./],
    ] as const) {
      const { status, body } = await complete(image(url))
      expect([status, body.error.type]).toEqual([400, 'invalid_request_error'])
      expect(body.error.message).toMatch(reason)
    }
    expect((await complete({ ...image(PNG), model: 'talker' })).status).toBe(400)
  })

  test('images have a common size limit', async () => {
    const bytes = Buffer.alloc(4 * 1024 * 1024)
    Buffer.from('89504e470d0a1a0a0000000d', 'hex').copy(bytes)
    const site = createServer((_request, response) => response.end(bytes))
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    const { port } = site.address() as AddressInfo
    const part = { type: 'image_url', image_url: { url: `http://127.0.0.1:${port}/a.png` } }
    try {
      const { status, body } = await complete({
        model: 'seer',
        messages: [{ role: 'user', content: Array.from({ length: 6 }, () => part) }],
      })
      expect([status, body.error.message]).toEqual([400, expect.stringMatching(/in total/)])
    } finally {
      site.close()
    }
  })

  test.each([
    [{ messages: [] }, /messages/],
    [{ messages: [{ role: 'tool', tool_call_id: 'x', content: 'y' }] }, /tool_call_id/],
    [{ messages: [{ role: 'nobody', content: 'y' }] }, /messages\.0\.role/],
    [{ temperature: 3 }, /temperature/],
    [{ n: 9 }, /n must be at most 8/],
    [{ tool_choice: 'required' }, /tool_choice/],
    [
      {
        tools: [{ type: 'function', function: { name: 'a' } }],
        tool_choice: { type: 'function', function: { name: 'b' } },
      },
      /tool_choice/,
    ],
    [{ tools: [{ type: 'function', function: { name: 'a b' } }] }, /tools\.0\.function\.name/],
    [{ model: '' }, /model/],
  ])('%j is refused with an error sentence', async (change, message) => {
    const { status, body } = await complete(change)
    expect([status, body.error.type]).toEqual([400, 'invalid_request_error'])
    expect(body.error.message).toMatch(message)
  })

  test('ignores unknown fields', async () => {
    expect((await complete({ user: 'u', seed: 4, logit_bias: {}, vendor_field: [1] })).status).toBe(200)
  })
})

describe('agents', () => {
  let agent: { id: string; name: string }
  beforeAll(async () => {
    const modelId = await addModel('of the agent', 'emu-n5')
    const smith = toolsmith(server, person)
    const tool_id = await smith.make({
      function: 'repeat_it',
      code: 'export const repeat_it = (i) => i.text',
    })
    const { body } = await server.call('POST', `/api/agents?org_id=${person.organizationId}`, {
      token: person.token,
      body: {
        name: 'Clerk',
        description: '',
        agent_type: 'chat',
        model_id: modelId,
        tools: [{ tool_id, config: [] }],
        params: { system_prompt: 'You are a clerk.', temperature: 0.25 },
      },
    })
    agent = body
  })
  const asking = (content: string) => ({ messages: [{ role: 'user', content }] })

  test('answer by name and by id, call their own tools, and are charged once', async () => {
    const content = 'TOOL:repeat_it={"text":"rain"} THEN say: It rains.'
    const { body } = await complete({ model: 'Clerk', ...asking(content) })
    expect(body.choices[0]).toMatchObject({
      message: { content: 'It rains.' },
      finish_reason: 'stop',
    })
    expect(body.choices[0].message.tool_calls).toBeUndefined()
    const { messages, ...request } = sent() as { messages: { role: string; content: string }[] } & object
    expect(request).toMatchObject({ temperature: 0.25 })
    expect(messages[0]).toEqual({ role: 'system', content: 'You are a clerk.' })
    expect(messages.at(-1)?.content).toContain('rain')
    expect((await complete({ model: agent.id, ...asking('hi') })).status).toBe(200)
    const kinds = (await ledgerOf(person)).slice(0, 4).map(({ kind }) => kind)
    expect(kinds).toEqual(['DEBIT', 'HOLD', 'DEBIT', 'HOLD'])
  })

  test('stream no tool calls', async () => {
    const content = 'TOOL:repeat_it={"text":"rain"} THEN say: It rains.'
    for (const path of ['/chat/completions', '/responses']) {
      const input = path === '/responses' ? { input: content } : asking(content)
      const { text } = await post(path, { model: 'Clerk', stream: true, ...input })
      expect(text).not.toContain('repeat_it')
      expect(text).toContain('"delta"')
    }
  })

  test("of other organizations hide their models and the models' errors", async () => {
    const broken = await addModel('broken', 'emu-err500')
    const made = await server.call('POST', `/api/agents?org_id=${person.organizationId}`, {
      token: person.token,
      body: {
        name: 'Lent',
        description: '',
        agent_type: 'chat',
        model_id: broken,
        params: {},
        is_public: true,
      },
    })
    const stranger = await server.signUp()
    const { status, body } = await complete({ model: made.body.id }, stranger.token)
    expect([status, body.error.message]).toEqual([
      503,
      'This agent could not reply. Try again, or contact its publisher.',
    ])
    const entries = (await ledgerOf(stranger)).slice(0, 2) as unknown as {
      kind: string
      model_id: string | null
    }[]
    expect(entries.map(({ kind, model_id }) => [kind, model_id])).toEqual([
      ['RELEASE', null],
      ['HOLD', null],
    ])
  })

  test('of other organizations can be used only by id, because names are not unique', async () => {
    const mine = await addModel('bait', 'emu-n2')
    const { body: made } = await server.call('POST', `/api/agents?org_id=${person.organizationId}`, {
      token: person.token,
      body: {
        name: 'gpt-5-turbo',
        description: '',
        agent_type: 'chat',
        model_id: mine,
        params: {},
        is_public: true,
      },
    })
    const stranger = await server.signUp()
    const asked = provider.requests.length
    const { status, body } = await complete({ model: 'gpt-5-turbo' }, stranger.token)
    expect([status, body.error.code]).toEqual([404, 'model_not_found'])
    expect(provider.requests).toHaveLength(asked)
    expect((await complete({ model: made.id }, stranger.token)).status).toBe(200)
  })

  test('refuse tools of the client', async () => {
    const tools = [{ type: 'function', function: { name: 'x' } }]
    const { status, body } = await complete({ model: 'Clerk', tools })
    expect([status, body.error.code]).toEqual([400, 'openai.agent_has_tools'])
  })
})

describe("a deployment's key", () => {
  let shop: Deployment
  beforeAll(async () => {
    shop = await deploy(server, provider, { config: { daily_message_limit: 2 } })
  })

  test('uses its agent for any model name, and counts against the daily limit', async () => {
    const first = await complete({ model: 'gpt-5' }, shop.key)
    expect([first.status, first.body.model]).toEqual([200, 'gpt-5'])
    const models = await server.call('GET', '/openai/v1/models', { token: shop.key })
    expect(models.body.data).toHaveLength(1)
    expect(models.body.data[0].owned_by).toBe('agent')
    const refused = await complete({ messages: [] }, shop.key)
    expect(refused.status).toBe(400)
    expect((await complete({}, shop.key)).status).toBe(200)
    const third = await complete({}, shop.key)
    expect([third.status, third.body.error.type]).toEqual([429, 'rate_limit_error'])
    const usage = await server.call('GET', `/api/agent_deploy/usage?deployment_id=${shop.id}`, {
      token: shop.owner.token,
    })
    expect(usage.body.totals.messages).toBe(2)
  })

  test('starts no retrieval for a message over the daily limit', async () => {
    const owner = await server.signUp()
    const embedding_model = await addModel('vectors', 'emu-vectors', { capabilities: ['embedding'] }, owner)
    const shelf = librarian(server, owner)
    const kbId = await shelf.create({ embedding_model, sources: [textSource('Hours', 'We open at nine.')] })
    await shelf.settle(kbId)
    const agentId = await makeAgent(server, owner, provider, undefined, { knowledge_base_ids: [kbId] })
    const { body: made } = await create(server, owner, agentId, { config: { daily_message_limit: 1 } })
    const asking = { messages: [{ role: 'user', content: 'When do you open?' }] }
    expect((await complete(asking, made.api_key)).status).toBe(200)
    const before = (await ledgerOf(owner)).length
    expect((await complete(asking, made.api_key)).status).toBe(429)
    expect(await ledgerOf(owner)).toHaveLength(before)
  })

  test('cannot create embeddings, and is refused if paused or of a widget', async () => {
    expect((await post('/embeddings', { model: 'x', input: 'y' }, shop.key)).status).toBe(403)
    await update(server, shop, { status: 'paused' })
    expect((await complete({}, shop.key)).status).toBe(403)
    const widget = await deploy(server, provider, { deployment_type: 'widget' })
    expect((await complete({}, widget.key)).body.error.type).toBe('permission_error')
  })
})

describe('streams', () => {
  test('end with [DONE] and have one id', async () => {
    const { text, headers } = await complete({ stream: true })
    expect(headers.get('content-type')).toContain('text/event-stream')
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true)
    const chunks = parseEvents(text.replace(/id: \d+\ndata: \[DONE\]\n\n/, '')).map(({ data }) => data)
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
    expect(chunks[0]).toMatchObject({ choices: [{ delta: { role: 'assistant' } }] })
  })
})
