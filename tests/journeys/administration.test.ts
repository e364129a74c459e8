import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { titledChat } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { type Team, teamOf } from '#tests/support/team.ts'

/** The lists and the status for the system administrator, and the names in the audit log. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let owner: Person
let team: Team
let spent: number

beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer()
  owner = await server.signUp()
  team = await teamOf(server, owner, 'Lighthouse Books')
  const modelId = await server.addModel(owner, {
    provider: 'openai-compatible',
    version: 'emu-n3',
    config: { base_url: `${provider.url}/v1` },
  })
  const chat_id = await titledChat(server, owner)
  await server.say(owner, { chat_id, model_id: modelId }, { content: 'Hi' })
  const usage = await server.call('GET', `/api/billing/usage?org_id=${owner.organizationId}`, {
    token: owner.token,
  })
  spent = usage.body.totals.credits
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const list = async (path: string) => (await team.asAdministrator('GET', path)).data

describe('the lists of the installation', () => {
  test('contain organizations with members, usage and limits, searched by name, owner and id', async () => {
    const [found, ...others] = await list('/api/org/list_all?q=lighthouse')
    expect(others).toEqual([])
    expect(found).toMatchObject({
      id: team.id,
      name: 'Lighthouse Books',
      is_personal: false,
      owner_email: owner.email,
      members: 1,
      credits_this_month: 0,
      balance: 100_000,
      features: { daily_chat_limit: null, chat_uploads: 20 },
    })
    const owned = await list(`/api/org/list_all?q=${encodeURIComponent(owner.email)}`)
    const personal = owned.find(({ id }: { id: string }) => id === owner.organizationId)
    expect(owned).toHaveLength(2)
    expect(personal).toMatchObject({ is_personal: true, credits_this_month: spent })
    expect(await list(`/api/org/list_all?q=${team.id.toUpperCase()}`)).toEqual([found])
    expect(await list('/api/org/list_all?q=%25')).toEqual([])
  })

  test('contain people with their organizations and usage', async () => {
    const { person } = await team.join('member', 'Emmy', 'Noether')
    await team.api('PUT', `/api/users/update_status?user_id=${person.userId}`, { status: 'suspended' })
    const [found, ...others] = await list('/api/users/list_all?q=emmy%20noe')
    expect(others).toEqual([])
    expect(found).toMatchObject({ id: person.userId, full_name: 'Emmy Noether', credits_this_month: 0 })
    expect(found.organizations).toContainEqual({
      id: team.id,
      name: 'Lighthouse Books',
      role_name: 'member',
      status: 'suspended',
    })
    const [payer] = await list(`/api/users/list_all?q=${owner.userId}`)
    expect(payer).toMatchObject({ email: owner.email, credits_this_month: spent })
  })

  test('come in pages', async () => {
    const first = await team.asAdministrator('GET', '/api/users/list_all?limit=1')
    const cursor = first.pagination.next_cursor
    const second = await team.asAdministrator('GET', `/api/users/list_all?limit=1&cursor=${cursor}`)
    expect(second.data[0].id < first.data[0].id).toBe(true)
  })
})

test('the status tells that no email leaves the installation, and shows storage, providers and queues', async () => {
  const status = await team.asAdministrator('GET', '/api/installation/status')
  expect(status).toMatchObject({
    mail: { delivery: 'none', server: null, error: null },
    storage: { kind: 'folder', error: null },
    providers: [{ provider: 'demo', models: 4, failing: 0, error: null }],
  })
  expect(status.queues.map(({ name }: { name: string }) => name)).toContain('mail')
  expect((await server.call('GET', '/api/auth/methods')).body.email).toBe(false)
})

test('an SMTP server that refuses is reported with its error, without the password that the error repeats', async () => {
  const smtp = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ password }, _session, callback) => callback(new Error(`wrong password ${password}`)),
  })
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(smtp.server.address() as AddressInfo).port}`
  const other = await startTestServer({ SMTP_URL: `smtp://postbox:hunter22@${host}` })
  const { body } = await other.call('POST', '/api/auth/login', {
    body: { email: 'admin@localhost', password: 'administrator' },
  })
  const status = await other.call('GET', '/api/installation/status', { token: body.access_token })
  expect(status.body.mail).toMatchObject({
    delivery: 'smtp',
    server: host,
    error: expect.stringContaining('wrong password ***'),
  })
  expect((await other.call('GET', '/api/auth/methods')).body.email).toBe(true)
  await other.stop()
  await new Promise<void>((resolve) => smtp.close(() => resolve()))
})

test('people who share an organization are found by name, until they are members', async () => {
  const { person, name } = await team.join('member', 'Kurt', 'Goedel')
  const stranger = await server.signUp()
  const search = async (org_id: string, q: string, token = owner.token) =>
    (await server.call('GET', `/api/users/search?org_id=${org_id}&q=${encodeURIComponent(q)}`, { token }))
      .body.data
  expect(await search(owner.organizationId, 'goedel')).toEqual([
    { id: person.userId, email: person.email, first_name: 'Kurt', last_name: 'Goedel', full_name: name },
  ])
  expect(await search(team.id, 'goedel')).toEqual([])
  expect(await search(owner.organizationId, stranger.email)).toEqual([])
})

describe('the audit log', () => {
  const entries = async (filter: string) => (await team.api('GET', `/api/audit/list?${filter}`)).data

  const nameOf = (entry: { record_name: string }) => entry.record_name

  test('names people and records, also those that were renamed or deleted', async () => {
    const { person, name } = await team.join('member', 'Grace', 'Hopper')
    const category = await team.api('POST', '/api/tools/create_category', {
      name: 'Support',
      description: '',
    })
    await team.api('PUT', `/api/tools/update_category?category_id=${category.id}`, { name: 'Help' })
    const [renamed] = await entries('action=tool_category.updated')
    expect(renamed).toMatchObject({
      actor_name: 'Ada Lovelace',
      record_name: 'Help',
      before: { name: 'Support' },
      after: { name: 'Help' },
    })
    await team.api('DELETE', `/api/tools/delete_category?category_id=${category.id}`)
    const ofCategory = await entries('record_type=tool_category')
    expect(ofCategory.map(nameOf)).toEqual(['Help', 'Help', 'Support'])

    const budget = await team.api('PUT', '/api/billing/budgets/set', {
      user_id: person.userId,
      credits_per_month: 5,
    })
    await team.api('DELETE', `/api/billing/budgets/delete?budget_id=${budget.id}`)
    const ofBudget = await entries('record_type=budget')
    expect(ofBudget.map(nameOf)).toEqual([name, name])
    const { id: model_id } = await team.api('POST', '/api/llm/add', {
      name: 'Lamp',
      provider: 'openai-compatible',
      version: 'emu-n3',
      config: { base_url: `${provider.url}/v1` },
    })
    for (const subject of [{ user_id: person.userId }, { model_id }]) {
      const limit = await team.api('PUT', '/api/billing/limits/set', { ...subject, requests_per_minute: 5 })
      await team.api('DELETE', `/api/billing/limits/delete?limit_id=${limit.id}`)
    }
    const ofLimit = await entries('record_type=limit')
    expect(ofLimit.map(nameOf)).toEqual(['Lamp', 'Lamp', name, name])
    const [added] = await entries(`record_id=${person.userId}&action=member.added`)
    expect(added.record_name).toBe(name)
    const [created] = await entries('action=organization.created')
    expect(created.record_name).toBe('Lighthouse Books')
  })
})
