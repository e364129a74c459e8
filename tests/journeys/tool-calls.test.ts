import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { said } from '#tests/support/knowledge.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { TEXT_INPUT, type ToolParts, type Toolsmith, toolsmith } from '#tests/support/toolsmith.ts'

const API_KEY = 'sk-canary-0123456789abcdef'

let server: TestServer
let provider: EmulatedProvider
let person: Person
let smith: Toolsmith
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  person = await server.signUp()
  smith = toolsmith(server, person)
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const bodyOf = (input_prompt: string, more: object = {}) => ({
  input_prompt,
  config_items: [],
  provider: 'openai-compatible',
  model_name: 'emu',
  api_key: API_KEY,
  base_url: `${provider.url}/v1`,
  ...more,
})
const ask = (tool_id: string, prompt: string, more: object = {}, by = smith) =>
  by.call('POST', '/test_tool', { tool_id }, bodyOf(prompt, more))
/** Returns the result of one tool call. */
async function callOnce(tool: ToolParts, given: object, more: object = {}) {
  const id = await smith.make(tool)
  const answer = await ask(id, `TOOL:${tool.function ?? 'main'}=${JSON.stringify(given)}`, more)
  expect(answer.status).toBe(200)
  return answer.body.tool_calls[0]
}

const PYTHON = { framework: 'python', inputs: [TEXT_INPUT] }

describe('a tool', () => {
  test.each<[string, ToolParts, object, unknown]>([
    ['async JavaScript', { code: 'export async function main({ text }) { return await text }' }, {}, 'hi'],
    [
      'TypeScript',
      { framework: 'TypeScript', code: 'export const main = ({ text }: { text: string }): string => text' },
      {},
      'hi',
    ],
    ['Python', { ...PYTHON, code: 'def main(text): return [text, config["unit"]]' }, {}, ['hi', 'C']],
    [
      'async Python',
      {
        ...PYTHON,
        code: 'import asyncio\nasync def main(text):\n  await asyncio.sleep(0)\n  return {"a": text}',
      },
      {},
      { a: 'hi' },
    ],
    [
      'a Python class',
      {
        ...PYTHON,
        isClass: true,
        function: 'Kit',
        code: 'class Kit:\n  def __init__(self, unit): self.unit = unit\n  def main(self, text): return text + self.unit',
      },
      {},
      'hiC',
    ],
    [
      'a JavaScript class',
      {
        isClass: true,
        function: 'Kit',
        code: 'export class Kit { constructor({ unit }) { this.unit = unit }\n async main({ text }) { return text + this.unit } }',
      },
      {},
      'hiC',
    ],
    [
      'a function that returns nothing',
      { code: 'export function main({ text }) {}' },
      {},
      'The tool returned nothing.',
    ],
    [
      'a function that only prints',
      { code: 'export function main({ text }) { console.log(text) }' },
      {},
      'The tool returned nothing. Printed output:\nhi',
    ],
  ])('runs as %s', async (_what, tool, more, output) => {
    const configuration = [{ name: 'unit', type: 'str', default: 'C' }]
    const id = await smith.make({ ...tool, configuration })
    const { body } = await ask(id, 'TOOL:main={"text":"hi"}', more)
    expect(body.tool_calls).toMatchObject([
      { name: 'main', input: { text: 'hi' }, output, successful: true, error: null },
    ])
  })

  test.each<[string, ToolParts, object, string]>([
    ['a value of another type', {}, { text: 5 }, 'text must be a string, not 5.'],
    ['a missing value', {}, {}, 'text is required.'],
    ['an unknown value', {}, { text: 'a', b: 1 }, 'There is no parameter "b". The parameters are: text.'],
    [
      'a thrown error',
      { code: 'export function main({ text }) { throw new Error("no " + text) }' },
      { text: 'a' },
      'no a',
    ],
    [
      'too much output',
      { code: 'export function main({ text }) { return text.repeat(2_000_000) }' },
      { text: 'a' },
      '1 MB',
    ],
    [
      'an unlisted host',
      { code: 'export async function main({ text }) { await fetch(text) }', network: ['api.example.com'] },
      { text: 'https://elsewhere.example.com' },
      "elsewhere.example.com is not in this tool's network list",
    ],
  ])('returns an error for %s', async (_what, tool, given, sentence) => {
    const call = await callOnce(tool, given)
    expect(call).toMatchObject({ output: null, successful: false, error: expect.stringContaining(sentence) })
  })

  test('without its configuration is refused before a model is called; values may be strings', async () => {
    const id = await smith.make({
      code: 'export function main({ text }) { return [config.limit, config.deep, config.on] }',
      configuration: [
        { name: 'limit', type: 'int', required: true },
        { name: 'on', type: 'bool', required: true },
        { name: 'deep', type: 'list', default: '[1]' },
      ],
    })
    const asked = provider.requests.length
    expect(said(await ask(id, 'TOOL:main={"text":"a"}'))).toEqual([400, 'config_items: limit is required.'])
    expect(provider.requests.length).toBe(asked)
    const config_items = [
      { name: 'limit', value: '5' },
      { name: 'on', value: true },
    ]
    const { body } = await ask(id, 'TOOL:main={"text":"a"}', { config_items })
    expect(body.tool_calls[0].output).toEqual([5, [1], true])
  })

  test('can connect to the listed hosts', async () => {
    const host = await startHost()
    const call = await callOnce(
      {
        code: 'export async function main({ text }) { return (await fetch(text)).text() }',
        network: [new URL(host.url).host],
      },
      { text: `${host.url}/hello` },
    )
    host.server.close()
    expect(call).toMatchObject({ output: 'GET /hello', successful: true })
  })

  test('has secrets of limited length', async () => {
    const id = await smith.make({
      code: 'export function main({ text }) { return text }',
      configuration: [{ name: 'api_key', type: 'str' }],
    })
    const config_items = [{ name: 'api_key', value: 'x'.repeat(8_000) }]
    expect(said(await ask(id, 'TOOL:main={"text":"a"}', { config_items }))).toEqual([
      400,
      'config_items: the secrets have 8002 characters together, and 8000 is the limit. Shorten them.',
    ])
  })

  test('reveals no secret, even in an unintended encoding', async () => {
    const secret = 'canary/secret+value'
    const tool = (code: string) => ({
      code: `export function main({ text }) { ${code} }`,
      configuration: [{ name: 'api_key', type: 'str', required: true }],
    })
    const config_items = [{ name: 'api_key', value: secret }]
    for (const code of [
      'return { [config.api_key]: [config.api_key, encodeURIComponent(config.api_key)] }',
      'return btoa("user:" + config.api_key)',
      'console.log(config.api_key)',
      'console.log(config.api_key); throw new Error("GET https://example.com?key=" + config.api_key)',
    ]) {
      const call = await callOnce(tool(code), { text: 'a' }, { config_items })
      const shown = JSON.stringify(call)
      expect(shown).toContain('***')
      for (const spelling of [secret, encodeURIComponent(secret), btoa(`user:${secret}`)])
        expect(shown).not.toContain(spelling)
      expect(JSON.stringify(provider.requests.at(-1)?.body)).not.toContain(secret)
    }
  })

  test('that fails in Python shows the traceback only to its author', async () => {
    const code = 'def main(text):\n  print("before")\n  raise ValueError("no " + text) # canary'
    const id = await smith.make({ ...PYTHON, code, fields: { is_public: true } })
    const other = toolsmith(server, await server.signUp())
    const [own, theirs] = await Promise.all([
      ask(id, 'TOOL:main={"text":"a"}'),
      ask(id, 'TOOL:main={"text":"a"}', {}, other),
    ])
    expect(own.body.tool_calls[0]).toMatchObject({
      output: null,
      successful: false,
      error: expect.stringContaining('no a'),
    })
    expect(own.body.tool_calls[0].error).toContain('raise ValueError')
    expect(theirs.body.tool_calls[0]).toMatchObject({ successful: false, error: 'ValueError: no a' })
    expect(theirs.text).not.toContain('canary')
  })
})

async function startHost(): Promise<{ server: Server; url: string }> {
  const host = createServer((request, response) => response.end(`${request.method} ${request.url}`))
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  return { server: host, url: `http://127.0.0.1:${(host.address() as AddressInfo).port}` }
}
