import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { HIGHEST_ID } from '#database/new-id.ts'
import { Client, StreamableHTTPClientTransport } from '#tests/clients/mcp-client.ts'
import { librarian } from '#tests/support/knowledge.ts'
import { type LiveSocket, openReady } from '#tests/support/live-socket.ts'
import { OPERATIONS, type Operation } from './contract.ts'
import type { Dependencies } from './cross-tenant.ts'
import type { Outcome } from './row.ts'
import type { Tenant } from './tenant.ts'

const WAIT_MS_MAX = 60_000
const POLL_MS = 50
/** Time to wait for wrongly delivered events. */
const SETTLE_MS = 500

/**
 * Tries to reach another tenant through cursors, idempotent replays, events and other channels that aren't id
 * parameters of openapi.json.
 */
export async function tryChannels(deps: Dependencies): Promise<Outcome> {
  // The replays store a copy of the marker in the attacker's organization, so the reads come first.
  const reads = [await tryPages(deps), await tryMcp(deps), await tryMcpReads(deps)]
  const all = [...reads, await tryReplays(deps), await tryGateway(deps), await tryEvents(deps)]
  return {
    cases: all.reduce((sum, { cases }) => sum + cases, 0),
    failures: all.flatMap(({ failures }) => failures),
  }
}

/** Uses cursors from the victim's lists as the attacker. The responses must not contain the victim's rows. */
async function tryPages({ stage, victim, attacker, marker }: Dependencies): Promise<Outcome> {
  const failures: string[] = []
  let cases = 0
  const lists = OPERATIONS.filter(({ parameters }) => parameters.some(({ name }) => name === 'cursor'))
  const addressOf = (operation: Operation, { organizationId, records }: Tenant, more: object): string => {
    const { kb: kb_id, webhook: webhook_id, chat: chat_id, evaluation: evaluation_id } = records
    const values = { org_id: organizationId, kb_id, webhook_id, chat_id, evaluation_id, q: 'leak', ...more }
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(values))
      if (operation.parameters.some((parameter) => parameter.name === name)) query.set(name, String(value))
    return `${operation.path}?${query}`
  }
  for (const list of lists) {
    const page = await stage.call('GET', addressOf(list, victim, { limit: 1 }), {
      token: victim.tokens.owner,
    })
    const cursor = page.body?.pagination?.next_cursor
    if (!cursor) continue
    cases += 1
    const stolen = await stage.call('GET', addressOf(list, attacker, { cursor }), {
      token: attacker.tokens.owner,
    })
    if (stolen.status >= 500 || stolen.text.includes(marker))
      failures.push(`${list.path} with the victim's cursor: ${stolen.status} ${stolen.text.slice(0, 160)}`)
  }
  if (cases === 0) failures.push('no list of the victim has a second page')
  return { cases, failures }
}

/** Uses the victim's Idempotency-Key as other callers. The responses must differ from the victim's response. */
async function tryReplays({ stage, victim, attacker, marker }: Dependencies): Promise<Outcome> {
  const key = randomUUID()
  const create = (token: string | undefined, organizationId: string) =>
    stage.call('POST', `/api/instructions/create?org_id=${organizationId}`, {
      ...(token && { token }),
      headers: { 'idempotency-key': key },
      body: { name: `replayed ${marker}`, content: marker },
    })
  const first = await create(victim.tokens.owner, victim.organizationId)
  const replays = [
    await create(attacker.tokens.owner, victim.organizationId),
    await create(attacker.tokens.owner, attacker.organizationId),
    await create(attacker.tokens.deployment, victim.organizationId),
    await create(undefined, victim.organizationId),
  ]
  const stolen = replays.filter(({ text }) => text.includes(first.body.id))
  return {
    cases: replays.length,
    failures: stolen.map(({ text }) => `a replayed response of the victim: ${text}`),
  }
}

/** Tries to use the victim's organization, agents and knowledge bases through /mcp. */
async function tryMcp({ stage, victim, attacker, marker }: Dependencies): Promise<Outcome> {
  const failures: string[] = []
  const victimTools = await askMcp(stage.url, victim.tokens.owner, victim.organizationId, async (client) =>
    client.listTools(),
  )
  const agentTool = victimTools.tools.find(({ name }) => name.includes('leak'))?.name
  if (agentTool === undefined) failures.push('/mcp does not list the agent of the victim to its owner')
  const foreign = await askMcp(stage.url, attacker.tokens.owner, victim.organizationId, (client) =>
    client.listTools(),
  ).catch((error: unknown) => String(error))
  if (typeof foreign !== 'string')
    failures.push(`/mcp lists a foreign organization: ${JSON.stringify(foreign)}`)
  const calls: [string, object][] = [
    [agentTool ?? '', { message: 'Hi' }],
    [`no_tool_${randomUUID()}`, { message: 'Hi' }],
    ['search_knowledge_bases', { query: marker }],
    ['search_knowledge_bases', { query: marker, knowledge_base: `library ${marker}` }],
    ['search_knowledge_bases', { query: marker, knowledge_base: `library ${randomUUID()}` }],
    ['list_knowledge_bases', { cursor: victim.records.kb }],
  ]
  const answers = await askMcp(stage.url, attacker.tokens.owner, attacker.organizationId, (client) =>
    Promise.all(
      calls.map(([name, input]) =>
        client
          .callTool({ name, arguments: input as Record<string, unknown> })
          .then((result) => JSON.stringify(result), String)
          .then((text) => text.replaceAll(name, '(name)')),
      ),
    ),
  )
  const [agent, noAgent, , byName, byNoName] = answers.map((text) =>
    text.replaceAll(`library ${marker}`, '(name)').replaceAll(/library [\da-f-]{36}/g, '(name)'),
  )
  if (agent !== noAgent) failures.push(`/mcp: a foreign agent answers ${agent} instead of ${noAgent}`)
  if (byName !== byNoName)
    failures.push(`/mcp: a foreign knowledge base answers ${byName} instead of ${byNoName}`)
  for (const text of answers)
    if (text.replaceAll(`library ${marker}`, '').includes(marker)) failures.push(`/mcp tells: ${text}`)
  return { cases: calls.length + 1, failures }
}

/** Tries to read the victim's documents and instructions through /mcp. */
async function tryMcpReads({ stage, victim, attacker, marker }: Dependencies): Promise<Outcome> {
  const [document, unknown] = [victim.records.document ?? '', randomUUID()]
  const [foreign, missing, ...lists] = await askMcp(
    stage.url,
    attacker.tokens.owner,
    attacker.organizationId,
    (client) => {
      const reads = [
        client.readResource({ uri: `parley://documents/${document}` }),
        client.readResource({ uri: `parley://documents/${unknown}` }),
        client.listResources(),
        client.listResources({ cursor: `${victim.records.kb}.${HIGHEST_ID}` }),
        client.listPrompts({ cursor: HIGHEST_ID }),
      ]
      return Promise.all(reads.map((read) => read.then((result) => JSON.stringify(result), String)))
    },
  )
  const failures = lists.filter((text) => text.includes(marker)).map((text) => `/mcp tells: ${text}`)
  if (foreign?.replaceAll(document, '(id)') !== missing?.replaceAll(unknown, '(id)'))
    failures.push(`/mcp: a foreign document answers ${foreign} instead of ${missing}`)
  return { cases: lists.length + 1, failures }
}

async function askMcp<T>(
  url: string,
  token: string,
  organizationId: string,
  ask: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ name: 'attacker', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  const address = new URL(`${url}/mcp?org_id=${organizationId}`)
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit }) as never)
  try {
    return await ask(client)
  } finally {
    await client.close()
  }
}

/** Changes the instance, the key or the lifetime in the attacker's gateway URL. */
async function tryGateway({ stage, installation, victim, attacker }: Dependencies): Promise<Outcome> {
  const { body } = await stage.call('POST', '/api/mcp/generate_url', {
    token: attacker.tokens.owner,
    body: { server_id: installation.mcpServerId, session_id: attacker.records.mcpInstance },
  })
  const genuine = new URL(body.mcp_url)
  const changed = (change: (url: URL) => void): URL => {
    const url = new URL(genuine)
    change(url)
    return url
  }
  const withInstance = (id: string): URL =>
    changed((url) => {
      url.pathname = `/api/mcp/gateway/${id}`
    })
  const attempts: Record<string, URL> = {
    "the victim's instance": withInstance(victim.records.mcpInstance ?? ''),
    'a random instance': withInstance(randomUUID()),
    "the victim's key": changed((url) => url.searchParams.set('key', victim.records.apiKey ?? '')),
    'a longer lifetime': changed((url) => url.searchParams.set('expires', '9999999999')),
    'no signature': changed((url) => url.searchParams.delete('signature')),
    'no lifetime': changed((url) => url.searchParams.delete('expires')),
  }
  const initialize = async (url: URL): Promise<number> => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(INITIALIZE),
    })
    await answer.text()
    return answer.status
  }
  const failures: string[] = []
  if ((await initialize(genuine)) !== 200) failures.push(`the genuine gateway URL does not return 200`)
  const refusal = await initialize(withInstance('none'))
  for (const [what, url] of Object.entries(attempts)) {
    const status = await initialize(url)
    if (status !== refusal || status < 400)
      failures.push(`gateway with ${what}: ${status} instead of ${refusal}`)
  }
  return { cases: Object.keys(attempts).length, failures }
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'attacker', version: '1' } },
}

/**
 * Opens sockets and webhooks of the attacker and of a colleague of the victim, and then causes events in the victim's
 * organization.
 */
async function tryEvents(deps: Dependencies): Promise<Outcome> {
  const { stage, victim, attacker, marker } = deps
  const spying = await Promise.all([
    ...(['owner', 'admin', 'guest', 'API key'] as const).map((who) =>
      openReady(stage.url, attacker.tokens[who]),
    ),
    openReady(stage.url, victim.tokens.owner),
  ])
  const [own] = spying.slice(-1) as [LiveSocket]
  const member = await openReady(stage.url, victim.tokens.member)
  await causeEvents(deps)
  const path = (tenant: Tenant): string => `/${tenant.organizationId}`
  const has = (type: string) => (socket: LiveSocket) =>
    socket.received.some((message) => message.type === type)
  const isHeard = (): boolean =>
    has('kb.ingestion')(own) &&
    has('deployment.status')(own) &&
    has('chat.title_updated')(member) &&
    stage.receiver.at(path(victim)).some(({ body }) => body.type === 'agent_deployment.status_changed')
  for (const end = Date.now() + WAIT_MS_MAX; Date.now() < end && !isHeard(); ) await sleep(POLL_MS)
  await sleep(SETTLE_MS)
  const failures = isHeard() ? [] : ['the victim gets none of its own events']
  for (const socket of spying.slice(0, -1))
    for (const message of socket.received)
      if (message.organization_id === victim.organizationId || JSON.stringify(message).includes(marker))
        failures.push(`a live socket of the attacker gets ${JSON.stringify(message)}`)
  if (has('chat.title_updated')(own)) failures.push("the owner gets an event of a member's chat")
  for (const { text } of stage.receiver.at(path(attacker)))
    if (text.includes(marker) || text.includes(victim.organizationId))
      failures.push(`a webhook of the attacker gets ${text.slice(0, 200)}`)
  for (const { socket } of [...spying, member]) socket.terminate()
  return { cases: spying.length + 1, failures }
}

/**
 * Causes events in the victim's organization: the member starts a chat, and the owner adds a document and pauses a
 * deployment.
 */
async function causeEvents({ stage, victim, marker, attacker }: Dependencies): Promise<void> {
  const { owner, member } = victim.people
  await stage.say(member, { model_id: victim.records.model ?? '' }, { content: `say: ${marker}` })
  const library = librarian(stage, owner)
  await library.add(victim.records.kb ?? '', 'text', { name: `second ${marker}`, content: marker })
  for (const tenant of [victim, attacker])
    await stage.call('PUT', `/api/agent_deploy/update?deployment_id=${tenant.records.deployment}`, {
      token: tenant.tokens.owner,
      body: { status: 'paused' },
    })
}
