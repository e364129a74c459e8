import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { said } from '#tests/support/knowledge.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { addPowerlessMember } from '#tests/support/tenants.ts'
import { settingsOf, TEXT_INPUT, type Toolsmith, toolsmith } from '#tests/support/toolsmith.ts'

let server: TestServer
let person: Person
let smith: Toolsmith
let org: { org_id: string }
let other: Toolsmith
let stranger: Person
beforeAll(async () => {
  server = await startTestServer()
  person = await server.signUp()
  stranger = await server.signUp()
  smith = toolsmith(server, person)
  other = toolsmith(server, stranger)
  org = { org_id: person.organizationId }
})
afterAll(() => server.stop())

const NOTHING = '00000000-0000-4000-8000-000000000000'
const input = (name: string, more: object = {}) => ({ ...TEXT_INPUT, name, ...more })
const get = (tool_id: string, by = smith) => by.call('GET', '', { tool_id })
const change = (tool_id: string, body: unknown, by = smith, of = org) =>
  by.call('PUT', '', { ...of, tool_id }, body)

const notFound = (what: string) => [404, expect.stringContaining(`${what} not found`)]

describe('a tool', () => {
  test('is created, shown, changed and deleted', async () => {
    const category_id = await smith.category()
    const fields = { name: ' Weather ', category_id, logo_url: 'https://example.com/logo.png' }
    const made = await smith.submit({
      code: 'export async function forecast({ city, days = 3 }) { return [city, days, config.unit] }',
      function: 'forecast',
      inputs: [input('city'), { name: 'days', type: 'int', default: '5' }],
      configuration: [
        { name: 'api_key', type: 'str', description: 'Of the service', required: true },
        { name: 'unit', type: 'str', required: false, default: 'C' },
      ],
      network: ['API.example.com', 'api.example.com:443', 'api.example.com:8443', 'api.example.com'],
      fields,
    })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.any(String),
      organization_id: person.organizationId,
      created_by: person.userId,
      category_id,
      name: 'Weather',
      description: 'What it is for',
      version: '1',
      is_active: true,
      is_public: false,
      logo_url: 'https://example.com/logo.png',
      configuration: [
        {
          name: 'api_key',
          type: 'str',
          description: 'Of the service',
          required: true,
          default: null,
          secret: true,
        },
        { name: 'unit', type: 'str', description: '', required: false, default: 'C', secret: false },
      ],
      inputs: [
        { name: 'city', type: 'str', description: 'What to say', required: true, default: null },
        { name: 'days', type: 'int', description: '', required: false, default: '5' },
      ],
      outputs: { type: 'dict', description: '' },
      settings: {
        function_info: {
          name: 'forecast',
          is_async: true,
          description: 'Says it again',
          code: expect.stringContaining('forecast'),
        },
        requirements: [],
        deployment: { framework: 'javascript', toolkit_class: false, standalone_function: true },
        network: ['api.example.com', 'api.example.com:8443'],
      },
      functions: [
        {
          name: 'forecast',
          description: 'Says it again',
          parameters: {
            type: 'object',
            properties: {
              city: { type: 'string', description: 'What to say' },
              days: { type: 'integer', default: 5 },
            },
            required: ['city'],
            additionalProperties: false,
          },
        },
      ],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    const { id: tool_id } = made.body
    expect((await get(tool_id)).body).toEqual(made.body)
    const changed = await change(tool_id, { name: 'Climate', is_active: false, logo_url: null })
    expect(changed.body).toEqual({
      ...made.body,
      name: 'Climate',
      is_active: false,
      logo_url: null,
      updated_at: expect.any(String),
    })
    const removed = await smith.call('DELETE', '', { ...org, tool_id })
    expect([removed.status, removed.body]).toEqual([200, { message: 'Tool deleted' }])
    for (const answer of [
      await get(tool_id),
      await change(tool_id, {}),
      await smith.call('DELETE', '', { ...org, tool_id }),
    ])
      expect(said(answer)).toEqual(notFound('Tool'))
  })

  test('has a unique name and version, regardless of case', async () => {
    const name = `Name ${crypto.randomUUID()}`
    const submit = (called: string, version: string) => smith.submit({ fields: { name: called, version } })
    const all = await Promise.all([submit(name, '1'), submit(name.toUpperCase(), '1'), submit(name, '2')])
    expect(all.map(({ status }) => status).sort()).toEqual([201, 201, 409])
    const taken = [409, 'A tool with this name and version already exists. Choose another name or version.']
    expect(said(await submit(`${name} `, '1'))).toEqual(taken)
    const id = await smith.make({ fields: { name, version: '3' } })
    expect(said(await change(id, { version: '2' }))).toEqual(taken)
    expect((await other.submit({ fields: { name, version: '1' } })).status).toBe(201)
  })

  test('can move only to another category of the organization', async () => {
    const id = await smith.make()
    const category_id = await smith.category()
    expect((await change(id, { category_id })).body.category_id).toBe(category_id)
    for (const unknown of [NOTHING, await other.category()])
      expect(said(await change(id, { category_id: unknown }))).toEqual(notFound('Tool category'))
  })

  test('is recorded in the audit log when it is created, changed and deleted', async () => {
    const tool_id = await smith.make()
    await change(tool_id, { is_public: true })
    await smith.call('DELETE', '', { ...org, tool_id })
    const { body } = await server.call('GET', `/api/audit/list?org_id=${person.organizationId}`, {
      token: person.token,
    })
    const entries = body.data.filter(({ record_id }: { record_id: string }) => record_id === tool_id)
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      'tool.deleted',
      'tool.updated',
      'tool.created',
    ])
    expect(entries[1]).toMatchObject({ before: { is_public: false }, after: { is_public: true } })
  })
})

const WITH_SETTINGS = (over: object): Record<string, unknown> => ({
  settings: { ...settingsOf({}), ...over },
})
test.each<[Record<string, unknown>, string]>([
  [{ name: ' ' }, 'name'],
  [{ version: '' }, 'version must not be empty'],
  [{ icon: 'a' }, 'icon is not a field of this request.'],
  [{ category_id: 'a' }, 'category_id must be a UUID'],
  [{ is_active: 'yes' }, 'is_active must be a boolean'],
  [{ logo_url: 'javascript:alert(1)' }, 'logo_url'],
  [{ logo_url: '/logo.png' }, 'logo_url'],
  [{ outputs: { type: 'str' } }, 'outputs.description is required'],
  [{ inputs: [input('a-b')] }, 'inputs.0.name'],
  [{ inputs: [input('__proto__')] }, 'inputs.0.name'],
  [{ inputs: [input('a'.repeat(65))] }, 'inputs.0.name must have at most 64 characters'],
  [{ inputs: [input('a'), input('a')] }, 'inputs.1.name must be unique, but a occurs twice.'],
  [{ inputs: [input('a', { type: 'string' })] }, 'inputs.0.type must be one of: str, int'],
  [{ inputs: [input('a', { default: 5 })] }, 'inputs.0.default'],
  [{ inputs: [input('a', { type: 'int', default: 'x' })] }, 'inputs.0.default must be an integer'],
  [{ inputs: [input('a', { secret: true })] }, 'secret is not a field'],
  [{ inputs: Array.from({ length: 51 }, (_, at) => input(`a${at}`)) }, 'inputs must have at most 50 items'],
  [{ configuration: [input('api_key', { default: 'a' })] }, 'configuration.0.default must be null'],
  [{ configuration: [input('a', { secret: true, default: 'a' })] }, 'configuration.0.default must be null'],
  [{ settings: {} }, 'settings.function_info is required'],
  [WITH_SETTINGS({ requirements: 'a' }), 'settings.requirements must be an array'],
  [WITH_SETTINGS({ timeout: 5 }), 'settings.timeout is not a field'],
  [
    WITH_SETTINGS({ deployment: { framework: 'x', toolkit_class: true, standalone_function: true } }),
    'settings.deployment',
  ],
  [
    WITH_SETTINGS({ deployment: { framework: 'x', toolkit_class: false, standalone_function: false } }),
    'settings.deployment',
  ],
  [WITH_SETTINGS({ function_info: { name: 'a b', code: 'x' } }), 'settings.function_info.name'],
  [WITH_SETTINGS({ function_info: { name: 'a', code: '' } }), 'settings.function_info.code'],
  [WITH_SETTINGS({ function_info: { name: 'a', code: 'é'.repeat(200 * 512 + 1) } }), 'at most 204800 bytes'],
  ...[
    'https://example.com',
    'example.com/path',
    '*.example.com',
    'user@example.com',
    'example.com:99999',
    '10.0.0.1',
    '169.254.169.254',
    '[::1]',
    '0x0a.1:80',
    'exa mple.com',
  ].map((host): [Record<string, unknown>, string] => [
    WITH_SETTINGS({ network: ['example.com', host].reverse() }),
    'settings.network.0',
  ]),
  [WITH_SETTINGS({ network: Array.from({ length: 21 }, (_, at) => `a${at}.com`) }), 'at most 20 items'],
])('%j is refused: %s', async (fields, sentence) => {
  const answer = await smith.submit({ fields })
  expect(said(answer)).toEqual([400, expect.stringContaining(sentence)])
})

test('an invalid descriptor is a validation error with its location', async () => {
  const category_id = await smith.category()
  const body = {
    name: 'Wrong',
    description: '',
    category_id,
    version: '1',
    configuration: [],
    inputs: [input('a', { type: 'int', default: 'x' })],
    outputs: { type: 'str', description: '' },
    settings: settingsOf({}),
  }
  const answer = await server.call('POST', `/v1/tools?org_id=${org.org_id}`, { token: person.token, body })
  expect([answer.status, answer.body.error.details]).toMatchObject([
    422,
    { code: 'tool.invalid', errors: [{ path: 'inputs.0.default' }] },
  ])
})

describe('a public tool', () => {
  const secretCode = 'export function main({ text }) { return "canary" + text }'
  let id: string
  beforeAll(async () => {
    id = await smith.make({
      code: secretCode,
      configuration: [{ name: 'unit', type: 'str', description: 'u', default: 'canary' }],
      fields: { is_public: true },
    })
  })

  test('shows other organizations its inputs, but not its code', async () => {
    const { status, body, text } = await get(id, other)
    expect([status, body.settings.function_info.code, body.created_by, body.category_id]).toEqual([
      200,
      null,
      null,
      null,
    ])
    expect(body.configuration).toEqual([
      { name: 'unit', type: 'str', description: 'u', required: false, default: null, secret: false },
    ])
    expect(body.inputs).toEqual([TEXT_INPUT])
    expect(text).not.toContain('canary')
    const list = await other.call('GET', '/list_all')
    expect(list.body.data.find((tool: { id: string }) => tool.id === id)).toEqual(body)
    expect(list.text).not.toContain('canary')
    expect((await get(id)).body.settings.function_info.code).toBe(secretCode)
  })

  test('cannot be changed or deleted by others', async () => {
    const theirs = { org_id: stranger.organizationId }
    expect(said(await change(id, { name: 'Mine' }, other, theirs))).toEqual(notFound('Tool'))
    expect(said(await change(id, { name: 'Mine' }, other))).toEqual(notFound('Organization'))
    expect(said(await other.call('DELETE', '', { ...theirs, tool_id: id }))).toEqual(notFound('Tool'))
  })

  test.each([{ is_public: false }, { is_active: false }])(
    'is unavailable to other organizations when it is %j',
    async (off) => {
      await change(id, off)
      expect(said(await get(id, other))).toEqual(notFound('Tool'))
      const list = await other.call('GET', '/list_all', { limit: '100' })
      expect(list.body.data.map((tool: { id: string }) => tool.id)).not.toContain(id)
      expect((await get(id)).status).toBe(200)
      await change(id, { is_public: true, is_active: true })
      expect((await get(id, other)).status).toBe(200)
    },
  )
})

describe('the list of all tools', () => {
  test('has own and public tools once each, newest first, in pages', async () => {
    const reader = await server.signUp()
    const own = toolsmith(server, reader)
    const ids = [
      await own.make({ fields: { is_public: true } }),
      await smith.make({ fields: { is_public: true } }),
      await own.make(),
      await smith.make({ fields: { is_public: true } }),
    ].reverse()
    const hidden = await smith.make()
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const { body } = await own.call('GET', '/list_all', { limit: '2', ...(cursor && { cursor }) })
      seen.push(...body.data.map(({ id }: { id: string }) => id))
      cursor = body.pagination.next_cursor
    } while (cursor)
    expect(seen.slice(0, 4)).toEqual(ids)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).not.toContain(hidden)
    expect((await own.call('GET', '/list_all', { cursor: 'x' })).status).toBe(400)
  })

  test('ends a page at a limit of total code size', async () => {
    const writer = await server.signUp()
    const own = toolsmith(server, writer)
    const code = `export function main({ text }) { return text } // ${'x'.repeat(190_000)}`
    for (let made = 0; made < 13; made++) await own.make({ code })
    const { body } = await own.call('GET', '/list_all', { limit: '100' })
    expect([body.data.length, body.pagination.has_more]).toEqual([12, true])
    const rest = await own.call('GET', '/list_all', { cursor: body.pagination.next_cursor, limit: '1' })
    expect(rest.body.data[0].settings.function_info.code).toBe(code)
  })

  test('is empty for an API key without permission to read tools, even if its owner has it', async () => {
    await smith.make({ fields: { is_public: true } })
    const { organizationId, token } = await server.signUp()
    const key = await server.call('POST', `/api/api_keys/create?org_id=${organizationId}`, {
      token,
      body: { name: 'k', permissions: ['chats:read'] },
    })
    const answer = await server.call('GET', '/api/tools/list_all', { token: key.body.key })
    expect([answer.status, answer.body.data]).toEqual([200, []])
  })
})

describe('a tool that agents use', () => {
  const sql = () => server.server.services.database.sql
  async function addAgent({ organizationId, userId }: Person, name: string, toolId: string): Promise<void> {
    const [model] = await sql()`select id from llm_models where organization_id is null limit 1`
    const id = crypto.randomUUID()
    await sql()`
      insert into agents (id, organization_id, created_by, name, description, agent_type, model_id, params)
      values (${id}, ${organizationId}, ${userId}, ${name}, '', 'chat', ${model?.['id']}, '{}')`
    await sql()`
      insert into agent_tools (organization_id, agent_id, tool_id, position, config)
      values (${organizationId}, ${id}, ${toolId}, 0, '')`
  }

  test('cannot be deleted; the error names its agents, and only counts those of other organizations', async () => {
    const tool_id = await smith.make({ fields: { is_public: true } })
    await addAgent(person, 'Support', tool_id)
    await addAgent(stranger, 'Hidden', tool_id)
    const remove = () => smith.call('DELETE', '', { ...org, tool_id })
    expect(said(await remove())).toEqual([
      409,
      'This tool is used by the agent Support, 1 agent of other organizations. Remove it there first.',
    ])
    await sql()`delete from agents where name = 'Support'`
    expect(said(await remove())).toEqual([
      409,
      'This tool is used by 1 agent of other organizations. Remove it there first.',
    ])
    expect((await change(tool_id, { is_public: false })).status).toBe(200)
    await sql()`delete from agents where name = 'Hidden'`
    expect((await remove()).status).toBe(200)
  })

  test('is either kept or not added if it is deleted concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const tool_id = await smith.make()
      const [removed, taken] = await Promise.all([
        smith.call('DELETE', '', { ...org, tool_id }),
        addAgent(person, `Racer ${round}`, tool_id).then(
          () => true,
          () => false,
        ),
      ])
      expect([
        [200, false],
        [409, true],
      ]).toContainEqual([removed.status, taken])
    }
  })
})

test('creating a tool requires tool:write, and reading one tool:read', async () => {
  const reader = await addPowerlessMember(server, person.organizationId, ['tool:read'])
  const id = await smith.make()
  const as = toolsmith(server, reader)
  expect((await get(id, as)).status).toBe(200)
  expect(said(await change(id, {}, as))).toEqual([403, 'Missing permission: tool:write'])
  const nobody = await addPowerlessMember(server, person.organizationId)
  expect(said(await get(id, toolsmith(server, nobody)))).toEqual([403, 'Missing permission: tool:read'])
  const expected = notFound('Tool')
  for (const foreign of [id, NOTHING]) expect(said(await get(foreign, other))).toEqual(expected)
})
