import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { said } from '#tests/support/knowledge.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { TEXT_INPUT, type ToolParts, type Toolsmith, toolsmith } from '#tests/support/toolsmith.ts'

let server: TestServer
let smith: Toolsmith
beforeAll(async () => {
  server = await sharedTestServer()
  smith = toolsmith(server, await server.signUp())
})
afterAll(async () => {
  await server.stop()
})

const input = (name: string, more: object = {}) => ({ ...TEXT_INPUT, name, ...more })

const CLASS = { framework: 'python', isClass: true, function: 'Kit', inputs: [] }

describe('code', () => {
  test.each<[string, ToolParts, string]>([
    ['of a class without methods', { ...CLASS, code: 'class Kit:\n  def _a(self): pass' }, 'public methods'],
    ['of a class that is a function', { ...CLASS, code: 'def Kit(): pass' }, 'Kit'],
    [
      'of a class without a method for an input',
      { ...CLASS, inputs: [input('b')], code: 'class Kit:\n  def one(self, a): pass' },
      'No method of the class has a parameter b. Remove it from inputs, or add it to the code.',
    ],
    [
      'with a method name that providers reject',
      { ...CLASS, code: 'class Kit:\n  def größe(self): pass' },
      'Providers do not accept the name größe',
    ],
    [
      'with a parameter name that providers reject',
      { ...CLASS, code: 'class Kit:\n  def one(self, größe): pass' },
      'Providers do not accept the name größe',
    ],
  ])('%s is refused', async (_what, tool, sentence) => {
    const answer = await smith.submit(tool)
    expect([...said(answer), answer.body.code]).toEqual([
      400,
      expect.stringContaining(sentence),
      'tool.code_invalid',
    ])
  })

  test('of a class exposes its public methods, with parameters from the code and details from inputs', async () => {
    const code = `
class Kit:
    def __init__(self, api_key, region="eu"): pass
    def search(self, query: str, limit: int = 10, tags=None):
        """Finds things."""
    async def fetch(self, query: str): pass
    def _hidden(self): pass
    def everything(self, **given):
        """Takes anything."""
`
    const { body } = await smith.submit({ ...CLASS, code, inputs: [input('query', { default: 'all' })] })
    const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name)
    expect(body.functions.sort(byName)).toEqual([
      expect.objectContaining({ name: 'everything', description: 'Takes anything.' }),
      expect.objectContaining({ name: 'fetch' }),
      {
        name: 'search',
        description: 'Finds things.',
        parameters: {
          type: 'object',
          properties: {
            query: { type: 'string', description: 'What to say', default: 'all' },
            limit: { type: 'integer', description: '10 where absent' },
            tags: {},
          },
          required: ['query'],
          additionalProperties: false,
        },
      },
    ])
    expect(body.settings.function_info.is_async).toBe(true)
  })
})
