import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { said } from '#tests/support/knowledge.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import {
  settingsOf,
  TEXT_INPUT,
  type ToolParts,
  type Toolsmith,
  toolsmith,
} from '#tests/support/toolsmith.ts'

let server: TestServer
let person: Person
let smith: Toolsmith
beforeAll(async () => {
  server = await sharedTestServer()
  person = await server.signUp()
  smith = toolsmith(server, person)
})
afterAll(async () => {
  await server.stop()
})

const input = (name: string, more: object = {}) => ({ ...TEXT_INPUT, name, ...more })
const change = (tool_id: string, body: unknown) =>
  smith.call('PUT', '', { org_id: person.organizationId, tool_id }, body)

const PYTHON = { framework: 'agno' }

describe('code', () => {
  test.each<[string, ToolParts, string]>([
    ['that is not JavaScript', { code: 'export function main({ text }) {' }, ''],
    ['that is not Python', { ...PYTHON, code: 'def main(text)\n  return 1' }, 'line 1'],
    ['without its function', { code: 'export function other({ text }) {}' }, 'main'],
    ['without its function, in Python', { ...PYTHON, code: 'def other(text): pass' }, 'main'],
    ['whose name is not a function', { ...PYTHON, code: 'main = 5' }, 'main'],
    ['that fails when it is loaded', { ...PYTHON, code: 'raise ValueError("broken")' }, 'broken'],
    [
      'without a parameter for an input',
      { ...PYTHON, code: 'def main(): pass' },
      'main has no parameter text. Remove it from inputs, or add it to the code.',
    ],
    [
      'without a parameter for an input, in JavaScript',
      { code: 'export function main({ words }) {}' },
      'main has no parameter text. Remove it from inputs, or add it to the code.',
    ],
    [
      'with a required parameter that inputs lack',
      { ...PYTHON, code: 'def main(text, city): pass' },
      'main requires city. Describe it in inputs, or give it a default in the code.',
    ],
    [
      'with a required parameter for an optional input',
      { ...PYTHON, code: 'def main(text): pass', inputs: [input('text', { required: false })] },
      'main requires text. Make that input required',
    ],
    [
      'with unavailable packages',
      { ...PYTHON, code: 'def main(text): pass', requirements: ['no-such-package'] },
      'no-such-package',
    ],
    ['with packages for JavaScript', { requirements: ['left-pad'] }, 'settings.requirements'],
  ])('%s is refused', async (_what, tool, sentence) => {
    const answer = await smith.submit(tool)
    expect([...said(answer), answer.body.code]).toEqual([
      400,
      expect.stringContaining(sentence),
      'tool.code_invalid',
    ])
  })

  test('of a function with arbitrary parameters accepts those in inputs', async () => {
    const { body } = await smith.submit({ ...PYTHON, code: 'async def main(**given): return given' })
    expect(body.settings.function_info.is_async).toBe(true)
    expect(body.functions[0].parameters).toMatchObject({ required: ['text'], additionalProperties: false })
  })

  test('is loaded again only if the code, inputs or configuration change', async () => {
    const id = await smith.make()
    const wrong = await change(id, { inputs: [input('words')] })
    expect(said(wrong)).toEqual([
      400,
      'main has no parameter words. Remove it from inputs, or add it to the code.',
    ])
    const code = 'export function main({ words }) { return words }'
    const changed = await change(id, { inputs: [input('words')], settings: settingsOf({ code }) })
    expect(changed.body.functions[0].parameters.required).toEqual(['words'])
    const { body } = await change(id, { description: 'Another' })
    expect([body.description, body.functions]).toEqual(['Another', changed.body.functions])
  })

  test("without a description uses the tool's description, even after a change", async () => {
    const settings = settingsOf({})
    const silent = { ...settings, function_info: { ...settings.function_info, description: '' } }
    const id = await smith.make({ fields: { settings: silent, description: 'One' } })
    const { body } = await change(id, { description: 'Two' })
    expect(body.functions[0].description).toBe('Two')
  })

  test('and inputs stay consistent after concurrent changes', async () => {
    const code = 'export function main({ words }) { return words }'
    const id = await smith.make({ code: 'export function main(given) { return given }' })
    const [inputs, settings] = await Promise.all([
      change(id, { inputs: [input('text'), input('more')] }),
      change(id, { settings: settingsOf({ code }) }),
    ])
    // Each change fits the earlier state, but not the other change.
    expect([inputs.status, settings.status].sort()).toEqual([200, 400])
    const { body } = await smith.call('GET', '', { tool_id: id })
    const takes = body.settings.function_info.code === code ? ['words'] : ['more', 'text']
    expect(Object.keys(body.functions[0].parameters.properties).sort()).toEqual(takes)
  })
})

test('long descriptors of code limit the length of a page', async () => {
  const own = toolsmith(server, await server.signUp())
  const inputs = Array.from({ length: 50 }, (_, place) =>
    input(`i${place}`, { required: false, default: 'x'.repeat(9_000) }),
  )
  for (let made = 0; made < 4; made++)
    await own.make({ inputs, code: 'export function main(given) { return given }' })
  const { body } = await own.call('GET', '/list_all', { limit: '100' })
  expect(body.pagination.has_more).toBe(true)
})
