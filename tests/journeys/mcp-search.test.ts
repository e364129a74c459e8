import { afterAll, beforeAll, expect, test } from 'vitest'
import { CatalogueSearch } from '#parts/mcp/search.ts'
import { type Connector, mcpConnector } from '#tests/support/mcp/connector.ts'
import { echo, startMcpServer, type TestMcpServer, type TestTool } from '#tests/support/mcp/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { administratorToken } from '#tests/support/tenants.ts'

let server: TestServer
let search: CatalogueSearch
let ann: Connector
let bob: Connector
let remote: TestMcpServer

beforeAll(async () => {
  server = await startTestServer()
  search = new CatalogueSearch(server.server.services)
  ann = await mcpConnector(server)
  bob = await mcpConnector(server)
  remote = await startMcpServer()
})
afterAll(async () => {
  await remote.close()
  await server.stop()
})

const find = async (question: string, who = ann, limit = 5) =>
  search.search(who.person.userId, null, question, limit)
const slugsOf = async (question: string) => (await find(question)).map(({ toolkitSlug }) => toolkitSlug)
const tool = (name: string, description: string): TestTool => ({ ...echo, name, description })
const read = (who: Connector, id: string) =>
  server.call('GET', `/api/mcp/server_with_tools?server_id=${id}&refresh=true`, { token: who.person.token })

test.each([
  ['Find my open pull requests', 'github'],
  ['create an issue in Linear', 'linear'],
  ['write a Confluence page', 'atlassian'],
  ['refund a customer payment', 'paypal'],
  ['which errors did my application throw last night? stack traces', 'sentry'],
  ['search notes in my notion workspace', 'notion'],
  ['query my postgres database branch', 'neon'],
  ['transcripts of recorded meetings', 'fireflies'],
  ['design a presentation', 'canva'],
  ['machine learning models and data sets', 'huggingface'],
  ['wer hat Bereitschaft? incident', 'incident-io'],
])('%s: %s', async (question, slug) => {
  expect((await slugsOf(question)).slice(0, 3)).toContain(slug)
})

test('only connectable servers are found, best first, up to the limit', async () => {
  expect(await slugsOf('tasks and portfolios in Asana')).not.toContain('asana')
  const hits = await find('search the documentation', ann, 3)
  expect(hits).toHaveLength(3)
  expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a))
  expect(await find('')).toEqual([])
  expect(await find('the of and')).toEqual([])
  expect(await find('x'.repeat(100_000))).toEqual([])
})

test('public tools are searchable once read, until they change', async () => {
  remote.tools = [tool('tuneOrgan', 'Tunes the pipes of a church organ'), tool('bellows', 'Pumps')]
  const id = await ann.addServer(remote.url, { type: 'none' })
  expect((await find('tune a church organ')).map(({ serverId }) => serverId)).not.toContain(id)
  await read(bob, id)
  const [hit] = await find('tune a church organ')
  expect(hit).toMatchObject({ serverId: id, isConnected: false, tools: [{ name: 'tuneOrgan' }] })
  expect((await find('organ', bob))[0]?.serverId).toBe(id)
  await ann.connect(id)
  expect((await find('organ'))[0]).toMatchObject({ serverId: id, isConnected: true })
  remote.tools = [tool('harpsichord', 'Tunes strings')]
  await read(bob, id)
  expect((await find('church organ')).map(({ serverId }) => serverId)).not.toContain(id)
  expect((await find('harpsichord'))[0]?.serverId).toBe(id)
})

test('a search in one organization shows no connections in another', async () => {
  const theirs = await startMcpServer({ tools: [tool('xylem_probe', 'Measures sap in trees')] })
  const carl = await mcpConnector(server)
  const id = await carl.addServer(theirs.url, { type: 'api_key', header: 'X-Key' })
  await carl.connect(id, undefined, { api_key: 'k' })
  await read(carl, id)
  const { userId, token, organizationId } = carl.person
  const made = await server.call('POST', `/api/org/create_org?name=${crypto.randomUUID()}`, { token })
  const here = await search.search(userId, organizationId, 'xylem_probe', 5)
  expect(here[0]).toMatchObject({ serverId: id, isConnected: true })
  const there = await search.search(userId, made.body.id, 'xylem_probe', 5)
  expect(there.map(({ serverId }) => serverId)).not.toContain(id)
  await theirs.close()
})

test("an account's tools are found only by its owner", async () => {
  const theirs = await startMcpServer({ tools: [tool('zymurgy_lookup', 'Looks up recipes for beer')] })
  const id = await ann.addServer(theirs.url, { type: 'api_key', header: 'X-Key' })
  const instance = await ann.connect(id, undefined, { api_key: 'k' })
  await read(ann, id)
  expect((await find('zymurgy'))[0]).toMatchObject({
    serverId: id,
    isConnected: true,
    tools: [{ name: 'zymurgy_lookup', description: 'Looks up recipes for beer' }],
  })
  expect(await find('zymurgy', bob)).toEqual([])
  theirs.tools = [tool('zymurgy_lookup', 'Looks up recipes for beer'), tool('xylography', 'Cuts wood')]
  await read(ann, id)
  expect((await find('xylography'))[0]?.tools[0]?.name).toBe('xylography')
  await ann.remove(instance)
  expect(await find('zymurgy')).toEqual([])
  await theirs.close()
})

test("an administrator's changes are searchable immediately", async () => {
  const token = await administratorToken(server)
  const body = {
    name: 'Herbarium',
    toolkit_name: 'Herbarium',
    toolkit_slug: 'herbarium',
    description: 'Bryophytes and lichens',
    url: 'https://herbarium.example.com/mcp',
    auth_config: { type: 'none' },
  }
  const { id } = (await server.call('POST', '/api/mcp/servers', { token, body })).body
  expect((await find('lichens'))[0]?.serverId).toBe(id)
  const path = `/api/mcp/servers?server_id=${id}`
  await server.call('PUT', path, { token, body: { description: 'Ferns' } })
  expect(await find('lichens')).toEqual([])
  await server.call('PUT', path, { token, body: { auth_config: null } })
  expect((await find('ferns')).map(({ serverId }) => serverId)).not.toContain(id)
})

test('if there are too many tools, the relevant ones are chosen in their original order', async () => {
  const tools = Array.from({ length: 1_000 }, (_, place) => ({
    definition: { name: `tool_${place}`, description: `Turns wheel ${place}` },
    place,
  }))
  const [mail, calendar] = [700, 300]
  tools[mail] = { definition: { name: 'sendEmail', description: 'Sends a letter by email' }, place: mail }
  tools[calendar] = {
    definition: { name: 'list_events', description: 'Lists calendar events' },
    place: calendar,
  }
  const chosen = await search.chooseTools('Email Bob what is in my calendar', tools, 128)
  const places = chosen.map(({ place }) => place)
  expect(places).toHaveLength(128)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(places).toEqual(expect.arrayContaining([mail, calendar]))
  expect(await search.chooseTools('anything', tools.slice(0, 128), 128)).toEqual(tools.slice(0, 128))
})
