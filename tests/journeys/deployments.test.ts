import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { create, type Deployment, deploy, makeAgent, update } from '#tests/support/deployments.ts'
import { openReady } from '#tests/support/live-socket.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole } from '#tests/support/tenants.ts'

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let owner: Person
let agentId: string
beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer()
  owner = await server.signUp()
  agentId = await makeAgent(server, owner, provider)
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const on = (method: string, action: string, id: string, token = owner.token, body?: object) =>
  server.call(method, `/api/agent_deploy/${action}?deployment_id=${id}`, { token, ...(body && { body }) })

const FULL = {
  theme: { primary_color: '#0B5fff', font_family: '"Open Sans", Noto Sans CJK, sans-serif' },
  branding: { logo_url: 'https://www.example.com/logo.png?v=2', company_name: 'Example; Inc. </script>' },
  widget_placement: 'bottom-left',
  welcome_message: 'Hello 😀',
  allowed_origins: [
    'https://www.example.com',
    'http://localhost:8080',
    'http://127.0.0.1:1',
    'http://[::1]:9',
  ],
  daily_message_limit: 1_000_000,
}

describe('a deployment', () => {
  test('is created with a key that is shown once and stored as a hash', async () => {
    const { status, body } = await create(server, owner, agentId, {
      name: ' Shop ',
      description: 'd',
      deployment_type: 'widget',
      config: FULL,
    })
    expect(status).toBe(201)
    const { api_key: key, ...view } = body
    expect(key).toMatch(/^dk_[\w-]{43}$/)
    expect(view).toEqual({
      id: view.id,
      organization_id: owner.organizationId,
      agent_id: agentId,
      name: 'Shop',
      description: 'd',
      deployment_type: 'widget',
      config: FULL,
      status: 'active',
      api_key_prefix: key.slice(0, 10),
      created_by: owner.userId,
      created_at: view.created_at,
      updated_at: view.updated_at,
    })
    expect((await on('GET', 'get', view.id)).body).toEqual(view)
    const { sql } = server.server.services.database
    const stored = JSON.stringify([
      await sql`select * from agent_deployments`,
      await sql`select * from audit_entries`,
    ])
    expect(stored).not.toContain(key)
  })

  test('is listed newest first, in pages, without its key', async () => {
    const person = await server.signUp()
    const own = await makeAgent(server, person, provider)
    const ids: string[] = []
    for (const name of ['a', 'b', 'a']) ids.unshift((await create(server, person, own, { name })).body.id)
    const list = (query: string) =>
      server.call('GET', `/api/agent_deploy/list?org_id=${person.organizationId}&${query}`, {
        token: person.token,
      })
    const first = await list('limit=2')
    const second = await list(`limit=2&cursor=${first.body.pagination.next_cursor}`)
    expect([...first.body.data, ...second.body.data].map(({ id }) => id)).toEqual(ids)
    expect(second.body.pagination).toEqual({ next_cursor: null, has_more: false })
    expect(first.text).not.toMatch(/api_key"|key_hash|visitor/)
  })

  test('is updated in the given fields; a new config is merged by key', async () => {
    const { id } = (await create(server, owner, agentId, { deployment_type: 'widget', config: FULL })).body
    const renamed = await on('PUT', 'update', id, owner.token, { name: 'Help' })
    expect(renamed.body).toMatchObject({ name: 'Help', config: FULL, status: 'active' })
    const change = { welcome_message: 'Hi', branding: { logo_url: null }, theme: null }
    const merged = await on('PUT', 'update', id, owner.token, { config: change })
    const { theme: _, ...others } = FULL
    expect(merged.body.config).toEqual({
      ...others,
      welcome_message: 'Hi',
      branding: { company_name: FULL.branding.company_name },
    })
    expect((await on('PUT', 'update', id, owner.token, {})).status).toBe(200)
    expect((await on('PUT', 'update', id, owner.token, { status: 'paused' })).body.status).toBe('paused')
  })

  test('is deleted with its visitors', async () => {
    const { sql } = server.server.services.database
    const visitors = () => sql`select id from users where email like '%@deployment.invalid'`
    const before = (await visitors()).length
    const { id } = (await create(server, owner, agentId)).body
    expect(await visitors()).toHaveLength(before + 1)
    expect((await on('DELETE', 'delete', id)).body).toEqual({ message: 'Deployment deleted' })
    expect(await visitors()).toHaveLength(before)
    for (const [method, action] of [
      ['GET', 'get'],
      ['DELETE', 'delete'],
      ['POST', 'regenerate_key'],
    ] as const) {
      const gone = await on(method, action, id)
      expect([gone.status, gone.body.detail]).toEqual([404, expect.stringContaining('Deployment not found')])
    }
  })

  test('is deleted with its organization', async () => {
    const org = await server.call('POST', `/api/org/create_org?name=${crypto.randomUUID()}`, {
      token: owner.token,
    })
    const there = { ...owner, organizationId: org.body.id }
    const { id } = (await create(server, there, await makeAgent(server, there, provider))).body
    const path = `/api/org/delete?org_id=${there.organizationId}`
    expect((await server.call('DELETE', path, { token: owner.token })).status).toBe(200)
    expect((await on('GET', 'get', id)).status).toBe(404)
  })

  test('is in the audit log without its key', async () => {
    const { id } = (await create(server, owner, agentId)).body
    await on('POST', 'regenerate_key', id)
    await on('PUT', 'update', id, owner.token, { status: 'paused' })
    await on('DELETE', 'delete', id)
    const { body } = await server.call(
      'GET',
      `/api/audit/list?org_id=${owner.organizationId}&record_id=${id}`,
      { token: owner.token },
    )
    expect(body.data.map(({ action }: { action: string }) => action)).toEqual([
      'deployment.deleted',
      'deployment.updated',
      'deployment.updated',
      'deployment.created',
    ])
    expect(body.data[1]).toMatchObject({ before: { status: 'active' }, after: { status: 'paused' } })
    expect(body.data[2].after).toMatchObject({ key_hash: '(hidden)' })
  })

  test('sends a change of status only to users who may read it', async () => {
    const { id } = (await create(server, owner, agentId)).body
    const guest = await server.signUp()
    await addMemberWithRole(server.server.services.database.sql, owner.organizationId, guest.userId, 'guest')
    const stranger = await server.signUp()
    const [heard, notHeard] = [
      await openReady(server.url, guest.token),
      await openReady(server.url, stranger.token),
    ]
    await on('PUT', 'update', id, owner.token, { name: 'No other status' })
    await on('PUT', 'update', id, owner.token, { status: 'active' })
    await on('PUT', 'update', id, owner.token, { status: 'paused' })
    await on('PUT', 'update', id, owner.token, { status: 'active' })
    for (const status of ['paused', 'active']) {
      const { type, organization_id, data } = await heard.next()
      expect([type, organization_id, data]).toEqual([
        'deployment.status',
        owner.organizationId,
        { deployment_id: id, status },
      ])
    }
    expect([heard.messages, notHeard.messages]).toEqual([[], []])
    for (const { socket } of [heard, notHeard]) socket.close()
  })
})

describe('refused requests', () => {
  test.each([
    ['unknown keys', 'api', { colour: 'red' }, 'config.colour is not a field of this request.'],
    ['unknown nested keys', 'api', { theme: { color: 'red' } }, 'config.theme.color is not a field'],
    [
      'a named color',
      'api',
      { theme: { primary_color: 'red' } },
      'primary_color must be a hex color such as #0b5fff',
    ],
    ['a short color', 'api', { theme: { primary_color: '#abc' } }, 'primary_color must be a hex color'],
    ['a color with a suffix', 'api', { theme: { primary_color: '#0b5fff;' } }, 'at most 7 characters'],
    [
      'a font that ends a style',
      'widget',
      { theme: { font_family: 'Arial; color: red' } },
      'font_family must be',
    ],
    ['half a quoted font', 'widget', { theme: { font_family: '"Arial' } }, 'font_family must be'],
    ['a url as a font', 'widget', { theme: { font_family: 'url(x)' } }, 'font_family must be'],
    ['an empty font', 'widget', { theme: { font_family: 'Arial,' } }, 'font_family must be'],
    [
      'a logo over http',
      'widget',
      { branding: { logo_url: 'http://example.com/a.png' } },
      'starts with https://',
    ],
    [
      'a logo that is a script',
      'widget',
      { branding: { logo_url: 'javascript:alert(1)' } },
      'starts with https://',
    ],
    [
      'a data URL as a logo',
      'widget',
      { branding: { logo_url: 'data:image/png,x' } },
      'starts with https://',
    ],
    [
      'a logo whose host ends a header',
      'widget',
      { branding: { logo_url: 'https://a.com;script-src/x' } },
      'https://',
    ],
    ['a logo with a password', 'widget', { branding: { logo_url: 'https://u:p@a.com/x' } }, 'https://'],
    ['a long welcome', 'widget', { welcome_message: 'x'.repeat(2_001) }, 'at most 2000 characters'],
    ['a limit of 0', 'api', { daily_message_limit: 0 }, 'daily_message_limit must be at least 1'],
    ['a limit that is too large', 'api', { daily_message_limit: 1_000_001 }, 'must be at most 1000000'],
    ['a fractional limit', 'api', { daily_message_limit: 1.5 }, 'must be an integer'],
    [
      'a placement of an iframe',
      'iframe',
      { widget_placement: 'bottom-left' },
      'only for deployments of type widget',
    ],
    [
      'a placement of an api',
      'api',
      { widget_placement: 'bottom-left' },
      'only for deployments of type widget',
    ],
    ['an unknown placement', 'widget', { widget_placement: 'top' }, 'bottom-right, bottom-left'],
    ['origins of an api', 'api', { allowed_origins: ['https://a.com'] }, 'of type widget or iframe'],
    ['an origin with a path', 'widget', { allowed_origins: ['https://a.com/x'] }, 'without a path'],
    ['an origin with a slash', 'widget', { allowed_origins: ['https://a.com/'] }, 'without a path'],
    ['an origin with a query', 'widget', { allowed_origins: ['https://a.com?x'] }, 'without a path'],
    [
      'an origin over http',
      'widget',
      { allowed_origins: ['http://a.com'] },
      'http is allowed only for localhost',
    ],
    ['an origin with a wildcard', 'widget', { allowed_origins: ['https://*.a.com'] }, 'not a valid origin'],
    ['every origin', 'iframe', { allowed_origins: ['*'] }, 'not a valid origin'],
    ['the origin null', 'iframe', { allowed_origins: ['null'] }, 'not a valid origin'],
    [
      'an origin that ends a header',
      'iframe',
      { allowed_origins: ['https://a.com;x'] },
      'not a valid origin',
    ],
    ['an origin of two lines', 'iframe', { allowed_origins: ['https://a.com\n'] }, 'not a valid origin'],
    [
      'an origin like localhost',
      'iframe',
      { allowed_origins: ['http://localhost.a.com'] },
      'not a valid origin',
    ],
    ['many origins', 'iframe', { allowed_origins: Array(51).fill('https://a.com') }, 'at most 50 items'],
  ])('%s', async (_what, type, config, sentence) => {
    const made = await create(server, owner, agentId, { deployment_type: type, config })
    expect([made.status, made.body.detail]).toEqual([400, expect.stringContaining(sentence)])
    const other = (await create(server, owner, agentId, { deployment_type: type })).body
    const changed = await on('PUT', 'update', other.id, owner.token, { config })
    expect([changed.status, changed.body.detail]).toEqual([400, expect.stringContaining(sentence)])
    expect((await on('GET', 'get', other.id)).body.config).toEqual({})
  })

  test('origins are normalized and deduplicated', async () => {
    const allowed_origins = [
      'https://WWW.Example.com:443',
      'https://www.example.com',
      'https://bücher.example',
    ]
    const { status, body } = await create(server, owner, agentId, {
      deployment_type: 'iframe',
      config: { allowed_origins },
    })
    expect([status, body.config.allowed_origins]).toEqual([
      201,
      ['https://www.example.com', 'https://xn--bcher-kva.example'],
    ])
  })

  test.each([
    [{ name: ' ' }],
    [{ name: 'x'.repeat(201) }],
    [{ description: undefined }],
    [{ config: undefined }],
    [{ config: null }],
    [{ deployment_type: 'popup' }],
    [{ status: 'paused' }],
    [{ visitor_user_id: crypto.randomUUID() }],
    [{ agent_id: 'x' }],
  ])('a deployment with %o', async (fields) => {
    expect((await create(server, owner, agentId, fields)).status).toBe(400)
  })

  test.each([
    [{ deployment_type: 'widget' }],
    [{ agent_id: crypto.randomUUID() }],
    [{ status: 'gone' }],
    [{ name: '' }],
    [{ config: null }],
  ])('a change to %o', async (change) => {
    const { id } = (await create(server, owner, agentId)).body
    expect((await on('PUT', 'update', id, owner.token, change)).status).toBe(400)
  })

  test('an agent that is unknown or belongs to another organization, even a public one', async () => {
    const stranger = await server.signUp()
    const foreign = await makeAgent(server, stranger, provider)
    const shared = await makeAgent(server, stranger, provider)
    await server.call('PUT', `/api/agents/update?agent_id=${shared}`, {
      token: stranger.token,
      body: { is_public: true },
    })
    for (const id of [crypto.randomUUID(), foreign, shared]) {
      const answer = await create(server, owner, id)
      expect([answer.status, answer.body.detail]).toEqual([404, expect.stringContaining('Agent not found')])
    }
  })

  test('the previous key, immediately after regeneration', async () => {
    const made: Deployment = await deploy(server, provider)
    const session = (key: string) =>
      server.call('GET', `/api/agent_deploy/get_session?session_id=${made.id}`, {
        headers: { 'x-api-key': key },
      })
    expect((await session(made.key)).status).toBe(404)
    const { body } = await on('POST', 'regenerate_key', made.id, made.owner.token)
    expect(body.api_key).toMatch(/^dk_[\w-]{43}$/)
    expect(body.api_key_prefix).toBe(body.api_key.slice(0, 10))
    expect((await session(made.key)).status).toBe(401)
    expect((await session(body.api_key)).status).toBe(404)
    expect((await update(server, made, { status: 'paused' })).status).toBe(200)
    const paused = await session(body.api_key)
    expect([paused.status, paused.body.detail]).toEqual([
      403,
      'This deployment is paused. Try again after it is resumed.',
    ])
  })
})
