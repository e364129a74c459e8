import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  askForToken,
  create as deployAgent,
  makeAgent,
  newVisitorKey,
  talk,
} from '#tests/support/deployments.ts'
import { type Librarian, librarian } from '#tests/support/knowledge.ts'
import { toolsmith } from '#tests/support/toolsmith.ts'
import { ownWebhooks } from '#tests/support/webhooks.ts'
import { readExport } from './secret-places.ts'
import type { Target } from './secret-target.ts'

const WAIT_MS_MAX = 60_000
const POLL_MS = 25

/** Uses the secrets that tenants store in the product, and the keys that the product issues. */
export async function tryServices(target: Target): Promise<void> {
  const works = [tryModels, tryKeys, tryTools, tryKnowledge, tryWebhooks]
  await Promise.all(works.map((work) => work(target)))
}

/** Path segments that select how `echo-server.ts` repeats a key. */
const ECHOES = ['400', '401', '403', '404', '422', '429', '500', 'text', 'event', 'cut', 'moved']

/** Calls every endpoint that uses a model. The models' provider repeats the key in each of the ways in ECHOES. */
async function tryModels({ stage, plants, echo, owner }: Target): Promise<void> {
  const { token, organizationId } = owner
  const org = `org_id=${organizationId}`
  const add = (provider: string, base: string, version: string, more: object = {}) =>
    stage.addModel(owner, {
      name: `Model ${randomUUID()}`,
      provider,
      version,
      config: { base_url: base, api_key: plants.plant('provider key', 'sk-'), ...more },
    })
  const good = await add('openai-compatible', `${stage.provider.url}/v1`, 'emu-n3')
  await stage.say(owner, { model_id: good }, { content: `say: ${plants.plant('private text')}` })
  for (const how of ECHOES)
    for (const provider of how === '401'
      ? ['openai-compatible', 'anthropic', 'google']
      : ['openai-compatible']) {
      const model_id = await add(provider, `${echo.url}/${how}/v1`, 'emu')
      await stage.call('POST', `/api/llm/test?model_id=${model_id}`, { token })
      const content = plants.plant('private text')
      await stage.say(owner, { model_id }, { content }).catch(() => undefined)
      await stage.call('POST', `/openai/v1/chat/completions?${org}`, {
        token,
        body: { model: model_id, messages: [{ role: 'user', content: plants.plant('private text') }] },
      })
    }
  const embedding = await add('openai-compatible', `${echo.url}/400/v1`, 'emu', {
    capabilities: ['embedding'],
  })
  await stage.call('POST', `/openai/v1/embeddings?${org}`, { token, body: { model: embedding, input: 'Hi' } })
  await stage.call('PUT', `/api/llm/update?model_id=${good}`, {
    token,
    body: { config: { api_key: plants.plant('provider key', 'sk-') } },
  })
  await stage.call('PUT', `/api/llm/update?model_id=${good}`, {
    token,
    body: { config: { base_url: `${echo.url}/401`, api_key: [plants.plant('misplaced name')] } },
  })
  const listed = await stage.call('GET', `/api/llm/list?${org}&limit=100`, { token })
  const ofOperator = listed.body.data.filter(
    (model: { organization_id: unknown }) => model.organization_id === null,
  )
  for (const { id } of ofOperator)
    await stage.say(owner, { model_id: id }, { content: 'Hi' }).catch(() => undefined)
}

/** Uses API keys, keys and visitor tokens of deployments, signed file URLs, and idempotent replays. */
async function tryKeys({ stage, plants, owner }: Target): Promise<void> {
  const { token, organizationId } = owner
  const makeKey = (headers: Record<string, string> = {}) =>
    stage.call('POST', `/api/api_keys/create?org_id=${organizationId}`, {
      token,
      headers,
      body: { name: 'k', permissions: ['chats:write', 'chats:read', 'agents:execute'] },
    })
  const repeated = { 'idempotency-key': plants.plant('Idempotency-Key') }
  const key = plants.keep('API key', (await makeKey(repeated)).body.key)
  await makeKey(repeated)
  await stage.call('GET', `/api/chat/list?org_id=${organizationId}`, { token: key })
  await stage.call('GET', `/api/audit/list?org_id=${organizationId}`, { token: key })
  const agentId = await makeAgent(stage, owner, stage.provider, 'emu-n3', {
    params: { system_prompt: plants.plant('private text') },
  })
  const api = await deployAgent(stage, owner, agentId)
  const deploymentKey = plants.keep('deployment key', api.body.api_key)
  await talk(stage, deploymentKey, { content: plants.plant('private text') })
  const regenerated = await stage.call(
    'POST',
    `/api/agent_deploy/regenerate_key?deployment_id=${api.body.id}`,
    { token },
  )
  plants.keep('deployment key', regenerated.body.api_key)
  await talk(stage, deploymentKey, { content: 'Hi' })
  const widget = await deployAgent(stage, owner, agentId, { deployment_type: 'widget', name: 'W' })
  const pass = await askForToken(stage, widget.body.id, plants.keep('visitor key', newVisitorKey()))
  const visitor = plants.keep('visitor token', pass.body.token)
  await talk(stage, visitor, { content: plants.plant('private text') })
  await stage.call('GET', '/api/users/me', { token: visitor })
  await askForToken(stage, widget.body.id, plants.plant('misplaced value', 'x'.repeat(300)))
  const text = plants.plant('private text')
  const uploaded = await stage.upload(owner, { name: `${text}.txt`, bytes: text, type: 'text/plain' })
  const file = new URL(uploaded.body.url)
  plants.keep('signature of a file', file.searchParams.get('signature'))
  await stage.call('GET', file.pathname + file.search)
  file.searchParams.set('expires', '1')
  await stage.call('GET', file.pathname + file.search)
}

/** Uses a tool that leaks its secret: in its result, an exception, its output and a message to a model. */
async function tryTools({ stage, plants, echo, toolModelId, owner }: Target): Promise<void> {
  const smith = toolsmith(stage, owner)
  const code = `export function main({ how }) {
    const text = 'The key is ' + config.api_key + ' or ' + btoa(config.api_key)
    console.log(text)
    if (how === 'throw') throw new Error(text)
    return { text, [config.api_key]: 1 }
  }`
  const inputs = [{ name: 'how', type: 'str', description: '', required: false, default: 'return' }]
  const configuration = [
    { name: 'api_key', type: 'str', description: '', required: true, default: null, secret: true },
  ]
  const tool_id = await smith.make({ code, inputs, configuration })
  const secret = plants.plant('tool secret')
  const config = [{ name: 'api_key', value: secret }]
  const test = (input_prompt: string, base_url: string, config_items: object[] = config) =>
    smith.call(
      'POST',
      '/test_tool',
      { tool_id },
      {
        input_prompt,
        config_items,
        provider: 'openai-compatible',
        model_name: 'emu',
        api_key: plants.plant('provider key', 'sk-'),
        base_url,
      },
    )
  const good = `${stage.provider.url}/v1`
  await test('TOOL:main={} THEN TOOL:main={"how":"throw"} THEN say: So.', good)
  for (const how of ['400', '401', 'event']) await test('Hi', `${echo.url}/${how}/v1`)
  await test('Hi', good, [{ name: plants.plant('misplaced name'), value: secret }])
  await test('Hi', good, [{ name: 'api_key', value: { [secret]: secret } }])
  const agentId = await makeAgent(stage, owner, stage.provider, 'emu', {
    model_id: toolModelId,
    tools: [{ tool_id, config: [{ name: 'api_key', value: plants.plant('tool secret') }] }],
  })
  const content = 'TOOL:main={"how":"throw"} THEN TOOL:main={} THEN say: So.'
  await stage.say(owner, { agent_id: agentId }, { content }).catch(() => undefined)
  await stage.call('GET', `/api/agents/get?agent_id=${agentId}`, { token: owner.token })
}

/** Uses a bucket and an embedding provider, which repeat signatures and keys, and sources of type `text`. */
async function tryKnowledge({ stage, plants, echo, owner }: Target): Promise<void> {
  const library = librarian(stage, owner)
  const content = plants.plant('private text', 'All about ')
  const kb = await library.create({ sources: [{ type: 'text', config: { name: 'Note', content } }] })
  for (const how of ['xml', '401', '500', 'moved', 'cut'])
    await library.call(
      'POST',
      'add_source',
      { kb_id: kb },
      {
        type: 's3',
        config: {
          bucket: 'files',
          region: 'us-east-1',
          endpoint: `${echo.url}/${how}`,
          access_key_id: 'AKIA',
          secret_access_key: plants.plant('bucket secret'),
        },
      },
    )
  const embedding_model = await stage.addModel(owner, {
    name: `Embedding ${randomUUID()}`,
    provider: 'openai-compatible',
    version: 'emu-vectors',
    config: {
      base_url: `${echo.url}/400/v1`,
      api_key: plants.plant('provider key', 'sk-'),
      capabilities: ['embedding'],
    },
  })
  const unread = plants.plant('private text')
  const failing = await library.create({
    embedding_model,
    sources: [{ type: 'text', config: { name: 'Note', content: unread } }],
  })
  await untilTried(library, kb)
  await until(() => echo.requests.some(({ text }) => text.includes('/embeddings') && text.includes(unread)))
  await library.call('GET', 'ingestion_status', { kb_id: failing })
  await library.call('GET', 'list_documents', { kb_id: failing })
  await library.call('POST', 'search', { kb_id: kb }, { query: plants.plant('private text') })
  await library.call('GET', 'list_documents', { kb_id: kb })
  await library.call('GET', 'get', { kb_id: kb })
}

interface SourceStatus {
  status: string
  error: string | null
}

/** Waits until each source has been read or has failed at least once. Failed sources may be retried later. */
const untilTried = (library: Librarian, kb_id: string): Promise<void> =>
  until(async () => {
    const { body } = await library.call('GET', 'ingestion_status', { kb_id })
    return !body.sources.some(
      ({ status, error }: SourceStatus) => error === null && ['pending', 'processing'].includes(status),
    )
  })

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + WAIT_MS_MAX; !(await isSo()); await sleep(POLL_MS))
    if (Date.now() > end) throw new Error('sources are not read')
}

/** Sends webhooks to an endpoint that echoes the request headers, and to a URL that contains a password. */
async function tryWebhooks({ stage, plants, echo, owner }: Target): Promise<void> {
  const hooks = await ownWebhooks(stage, owner)
  const at = async (url: string): Promise<string> => {
    const { id, secret } = await hooks.add(url)
    plants.keep('webhook secret', secret)
    await hooks.call('POST', 'test', { webhook_id: id })
    return id
  }
  const id = await at(`${stage.receiver.url}/${randomUUID()}`)
  const rotated = await hooks.call('POST', 'rotate_secret', { webhook_id: id })
  plants.keep('webhook secret', rotated.body.secret)
  const careless = await at(`${echo.url}/401?token=${plants.plant('address of a webhook')}`)
  await hooks.converse()
  await hooks.deliveries(careless)
  await hooks.call('GET', 'list', { org_id: owner.organizationId })
  const asked = plants.plant('misplaced value')
  await hooks.call(
    'POST',
    'create',
    { org_id: owner.organizationId },
    {
      url: `https://parley:${asked}@127.0.0.1/`,
      event_types: ['conversation.updated'],
    },
  )
}

/** Collects all exports and everything else that operators can read. */
export async function takeExports({ stage, plants, found, owner }: Target): Promise<void> {
  const { token, organizationId } = owner
  const download = async (what: string, path: string): Promise<void> => {
    const response = await fetch(stage.url + path, { headers: { authorization: `Bearer ${token}` } })
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    found.push(...(await readExport(what, Buffer.from(await response.arrayBuffer()))))
  }
  await download('export of an organization', `/api/org/export?org_id=${organizationId}`)
  await download('export of an account', '/api/users/me/export')
  for (const path of [
    `/api/audit/list?org_id=${organizationId}&limit=100`,
    `/api/auth/sessions`,
    `/api/auth/factors/list`,
    `/api/api_keys/list?org_id=${organizationId}`,
    `/api/invitations/list?org_id=${organizationId}`,
    `/api/agent_deploy/list?org_id=${organizationId}`,
    `/api/mcp/list_instances?org_id=${organizationId}`,
  ])
    await stage.call('GET', path, { token })
  await stage.call('GET', '/metrics', { token: plants.plant('misplaced value') })
  await stage.call('GET', '/metrics', { token: stage.environment['METRICS_TOKEN'] ?? '' })
  for (const path of ['/openapi.json', '/v1/openapi.json', '/readyz', '/healthz'])
    await stage.call('GET', path)
}
