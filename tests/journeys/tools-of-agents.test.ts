import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AppError } from '#errors'
import { createTools, type StoredAgentTool, type Tools } from '#parts/tools/index.ts'
import type { Scope } from '#platform/access/scope.ts'
import { SandboxUnavailable } from '#platform/sandbox/sandbox.ts'
import type { Person } from '#tests/support/client.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { TEXT_INPUT, type ToolParts, type Toolsmith, toolsmith } from '#tests/support/toolsmith.ts'

/** The interface through which the agents part uses an agent's tools. */

let server: TestServer
let tools: Tools
let person: Person
let smith: Toolsmith
let stranger: Person
let other: Toolsmith
beforeAll(async () => {
  server = await sharedTestServer()
  tools = createTools(server.server.services)
  person = await server.signUp()
  stranger = await server.signUp()
  smith = toolsmith(server, person)
  other = toolsmith(server, stranger)
})
afterAll(() => server.stop())

const never = new AbortController().signal
const agentId = crypto.randomUUID()
const agent = () => ({ id: agentId, organizationId: person.organizationId })
const scope = () => ({ organizationId: person.organizationId }) as Scope<'agent:write'>
const prepare = (wanted: Parameters<Tools['prepare']>[2], kept: StoredAgentTool[] = [], id = agentId) =>
  tools.prepare(scope(), id, wanted, kept)
const refusal = (work: Promise<unknown>): Promise<[string, string]> =>
  work.then(
    () => ['nothing was refused', ''],
    (error: unknown) => [(error as AppError).code, (error as Error).message],
  )
const open = (stored: StoredAgentTool[], caller = person) =>
  tools.open(agent(), stored, caller.organizationId)
const change = (id: string, body: object, by = smith, of = person) =>
  by.call('PUT', '', { org_id: of.organizationId, tool_id: id }, body)

const KEYED: ToolParts = {
  code: 'export function main({ text }) { return { text, limit: config.limit, length: config.api_key?.length } }',
  configuration: [
    { name: 'api_key', type: 'str', required: true },
    { name: 'limit', type: 'int', default: '10' },
  ],
}

test('tools are validated, stored encrypted, shown without secrets, and run with their configuration', async () => {
  const id = await smith.make({ ...KEYED, fields: { name: 'Keyed' } })
  const stored = await prepare([
    { tool_id: id.toUpperCase(), config: [{ name: 'api_key', value: 'canary' }] },
  ])
  expect(stored).toEqual([{ toolId: id, config: expect.stringMatching(/^v1\./), confirmedRevision: 0 }])
  expect(await tools.view(agent(), stored)).toEqual([
    {
      tool_id: id,
      name: 'Keyed',
      config: [{ name: 'api_key', value: null }],
      needs_confirmation: false,
      revision: 0,
    },
  ])
  const [tool] = await open(stored)
  expect(tool?.definition).toMatchObject({ name: 'main', parameters: { required: ['text'] } })
  expect(await tool?.run({ text: 'a' }, never)).toEqual({
    output: { text: 'a', limit: 10, length: 6 },
    successful: true,
    error: null,
  })
  // A value sealed for one agent cannot be opened for another.
  await expect(tools.view({ ...agent(), id: crypto.randomUUID() }, stored)).rejects.toThrow()
})

test('an omitted or null secret keeps its value; other values do not', async () => {
  const id = await smith.make(KEYED)
  const config = [
    { name: 'api_key', value: 'four' },
    { name: 'limit', value: '5' },
  ]
  const first = await prepare([{ tool_id: id, config }])
  for (const again of [undefined, [], [{ name: 'api_key', value: null }]]) {
    const second = await prepare([{ tool_id: id, ...(again && { config: again }) }], first)
    const [tool] = await open(second)
    expect((await tool?.run({ text: 'a' }, never))?.output).toMatchObject({ limit: 10, length: 4 })
  }
})

describe('refused tools', () => {
  test('tools that are unknown, or private or inactive in another organization', async () => {
    const ids = [
      crypto.randomUUID(),
      await other.make(),
      await other.make({ fields: { is_public: true, is_active: false } }),
    ]
    for (const tool_id of ids)
      expect(await refusal(prepare([{ tool_id }]))).toEqual([
        'tool.not_found',
        expect.stringContaining('Tool not found'),
      ])
    expect(await prepare([{ tool_id: await smith.make({ fields: { is_active: false } }) }])).toHaveLength(1)
  })

  test('a duplicate tool, and two functions with one name', async () => {
    const [first, second] = await Promise.all(
      ['First', 'Second'].map((name) => smith.make({ fields: { name } })),
    )
    const id = first as string
    expect(await refusal(prepare([{ tool_id: id }, { tool_id: id }]))).toEqual([
      'tool.config_invalid',
      'Tool First occurs twice. Remove one of the entries.',
    ])
    expect(await refusal(prepare([{ tool_id: id }, { tool_id: second as string }]))).toEqual([
      'tool.function_twice',
      'First and Second both have a function named main. Remove one of these tools from the agent.',
    ])
  })

  test('an invalid configuration', async () => {
    const configuration = [...(KEYED.configuration ?? []), { name: 'note', type: 'str' }]
    const id = await smith.make({ ...KEYED, configuration, fields: { name: 'Fitting' } })
    const sentences: [{ name: string; value: unknown }[], string][] = [
      [[], 'api_key is required.'],
      [[{ name: 'api_key', value: 5 }], 'api_key must be a string.'],
      [[{ name: 'other', value: 5 }], 'the tool has no configuration value named other. Remove it.'],
      [
        [
          { name: 'api_key', value: 'x' },
          { name: 'note', value: 'x'.repeat(70_000) },
        ],
        'the configuration has more than 65536 characters. Shorten its values.',
      ],
      [
        [{ name: 'api_key', value: 'x'.repeat(70_000) }],
        'the secrets have 70002 characters together, and 8000 is the limit. Shorten them.',
      ],
    ]
    for (const [config, sentence] of sentences)
      expect(await refusal(prepare([{ tool_id: id, config }]))).toEqual([
        'tool.config_invalid',
        `Tool Fitting: ${sentence}`,
      ])
  })
})

describe('a public tool of another organization', () => {
  test("runs with the agent's configuration for every caller, until it is private or inactive", async () => {
    const id = await other.make({ ...KEYED, fields: { is_public: true } })
    const stored = await prepare([{ tool_id: id, config: [{ name: 'api_key', value: 'canary' }] }])
    const [tool] = await open(stored, stranger)
    expect(await tool?.run({ text: 'a' }, never)).toMatchObject({ output: { length: 6 } })
    for (const off of [{ is_active: false }, { is_public: false }]) {
      await change(id, off, other, stranger)
      expect(await open(stored)).toEqual([])
      expect(await tools.view(agent(), stored)).toHaveLength(1)
      await change(id, { is_active: true, is_public: true }, other, stranger)
      expect(await open(stored)).toHaveLength(1)
    }
  })

  test('cannot turn a secret into a visible value', async () => {
    const id = await other.make({ ...KEYED, fields: { is_public: true } })
    const stored = await prepare([{ tool_id: id, config: [{ name: 'api_key', value: 'canary' }] }])
    const configuration = [{ name: 'api_key', type: 'str', secret: false }]
    const code = 'export function main({ text }) { return config.api_key }'
    const { body } = await other.call('GET', '', { tool_id: id })
    const settings = { ...body.settings, function_info: { ...body.settings.function_info, code } }
    expect((await change(id, { configuration, settings }, other, stranger)).status).toBe(200)
    expect(await tools.view(agent(), stored)).toMatchObject([{ config: [{ name: 'api_key', value: null }] }])
    const [tool] = await open(await prepare([{ tool_id: id }], stored))
    expect(await tool?.run({ text: 'a' }, never)).toMatchObject({ output: '***' })
  })
})

describe('a tool that changes while an agent uses it', () => {
  test('and requires more configuration returns an error when it is called', async () => {
    const id = await smith.make()
    const stored = await prepare([{ tool_id: id }])
    await change(id, { configuration: [{ name: 'api_key', type: 'str', required: true }] })
    const [tool] = await open(stored)
    expect(await tool?.run({ text: 'a' }, never)).toEqual({
      output: null,
      successful: false,
      error: 'This tool has no value for api_key. The creator of the agent can set it.',
    })
  })

  test('and takes the name of another function is omitted', async () => {
    const settings = (name: string) => ({
      function_info: { name, code: `export function ${name}({ text }) { return "${name}" + text }` },
      deployment: { framework: 'javascript', toolkit_class: false, standalone_function: true },
    })
    const first = await smith.make({ fields: { settings: settings('one') } })
    const second = await smith.make({ fields: { settings: settings('two') } })
    const stored = await prepare([{ tool_id: first }, { tool_id: second }])
    expect((await open(stored)).map(({ definition }) => definition.name)).toEqual(['one', 'two'])
    await change(second, { settings: { ...settings('one') } })
    const left = await open(stored)
    expect(left.map(({ definition }) => definition.name)).toEqual(['one'])
  })
})

test('a busy sandbox returns an error result, and an aborted call throws', async () => {
  const id = await smith.make({ inputs: [TEXT_INPUT] })
  const stored = await prepare([{ tool_id: id }])
  const { services } = server.server
  const { sandbox } = services
  const [tool] = await open(stored)
  await expect(tool?.run({ text: 'a' }, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
  const full = { ...sandbox, run: () => Promise.reject(new SandboxUnavailable('Too much is going on.')) }
  services.sandbox = full
  const [late] = await open(stored)
  services.sandbox = sandbox
  expect(await late?.run({ text: 'a' }, never)).toEqual({
    output: null,
    successful: false,
    error: 'Too much is going on.',
  })
  services.sandbox = { ...sandbox, inspect: full.run }
  const refused = await smith.submit()
  services.sandbox = sandbox
  expect([refused.status, refused.body.detail]).toEqual([503, 'Too much is going on.'])
})
