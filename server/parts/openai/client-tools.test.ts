import { describe, expect, test } from 'vitest'
import { readCallArguments } from '#platform/models/call-arguments.ts'
import { callOf } from '#platform/models/tool-calls.ts'
import { ClientTools, type SentTool, type SentTools } from './client-tools.ts'
import { customArguments, customInput } from './custom-tools.ts'

const fn = (name: string, more: object = {}): SentTool => ({ type: 'function', name, ...more })
const custom = (name: string, more: object = {}): SentTool => ({ type: 'custom', name, ...more })
const space = (name: string, ...tools: SentTool[]): SentTool => ({ type: 'namespace', name, tools })

const read = (tools: SentTool[], tool_choice?: SentTools['tool_choice']) => {
  const all = new ClientTools({ tools, ...(tool_choice !== undefined && { tool_choice }) })
  const { tools: offered = [], toolChoice } = all.read()
  return { offered: offered.map(({ name }) => name), toolChoice, ignored: all.ignored }
}

describe('tools', () => {
  test.each<[tools: SentTool[], offered: string[], ignored: string[]]>([
    [[], [], []],
    [[fn('a'), custom('b')], ['a', 'b'], []],
    [[{ type: 'web_search' }, fn('a')], ['a'], ['tools.web_search']],
    [
      [
        { type: 'local_shell' },
        { type: 'image_generation' },
        { type: 'web_search_preview' },
        { type: 'mcp' },
        { type: 'file_search' },
        { type: 'code_interpreter' },
        { type: 'computer_use_preview' },
        { type: 'tool_search' },
        { type: 'made_up_2030' },
      ],
      [],
      [
        'tools.local_shell',
        'tools.image_generation',
        'tools.web_search_preview',
        'tools.mcp',
        'tools.file_search',
        'tools.code_interpreter',
        'tools.computer_use_preview',
        'tools.tool_search',
        'tools.made_up_2030',
      ],
    ],
    [[{ type: 'web_search' }, { type: 'web_search' }], [], ['tools.web_search']],
    [[{ type: 'bad\r\nname' }], [], ['tools.0']],
    [[space('n', fn('a'), custom('b')), fn('c')], ['a', 'b', 'c'], []],
    [[fn('a'), space('n', fn('a')), space('m', fn('a'))], ['a', 'n__a', 'm__a'], []],
    [[space('mcp.x', fn('a')), space('mcp.y', fn('a'))], ['a', 'mcp_y__a'], []],
    [[space('n', { type: 'web_search' }, fn('a'))], ['a'], ['tools.web_search']],
    [[space('n')], [], []],
  ])('%j', (tools, offered, ignored) => {
    expect(read(tools)).toMatchObject({ offered, ignored })
  })

  test('keep their name and namespace in calls', () => {
    const tools = new ClientTools({ tools: [fn('a'), space('n', fn('a'), custom('p'))] })
    const toolOf = (name: string) => tools.toolOf({ id: '1', name, input: {} })
    expect(toolOf('a')).toEqual({ isCustom: false, name: 'a', namespace: null })
    expect(toolOf('n__a')).toEqual({ isCustom: false, name: 'a', namespace: 'n' })
    expect(toolOf('p')).toEqual({ isCustom: true, name: 'p', namespace: 'n' })
    expect(toolOf('unknown')).toEqual({ isCustom: false, name: 'unknown', namespace: null })
    expect(tools.offeredName({ name: 'a', namespace: 'n' })).toBe('n__a')
    expect(tools.offeredName({ name: 'a' })).toBe('a')
    expect(tools.offeredName({ name: 'z' })).toBeUndefined()
  })

  test.each<[SentTool, RegExp]>([
    [{ type: 'function' }, /tools\.0\.name/],
    [{ type: 'custom' }, /tools\.0\.name/],
    [space('n', { type: 'function' }), /tools\.0\.tools\.0\.name/],
  ])('without a name are refused: %j', (tool, message) => {
    expect(() => new ClientTools({ tools: [tool] })).toThrow(message)
  })

  test('of the type custom have one text and their grammar', () => {
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' }
    const [tool] = new ClientTools({ tools: [custom('p', { description: 'Patches', format })] }).functions
    expect(tool).toMatchObject({
      name: 'p',
      description: expect.stringMatching(/^Patches\n\n.*lark grammar:\nstart: "x"$/),
      parameters: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
    })
  })
})

describe('a choice', () => {
  const tools = [fn('a'), custom('p'), space('n', fn('m')), { type: 'web_search' }]
  const all = ['a', 'p', 'm']
  test.each<[SentTools['tool_choice'], object]>([
    ['auto', { offered: all, toolChoice: 'auto' }],
    ['required', { offered: all, toolChoice: 'required' }],
    [{ type: 'function', name: 'a' }, { toolChoice: { name: 'a' } }],
    [{ type: 'custom', name: 'p' }, { toolChoice: { name: 'p' } }],
    [{ type: 'function', name: 'm', namespace: 'n' }, { toolChoice: { name: 'm' } }],
    [
      { type: 'web_search' },
      { offered: all, toolChoice: undefined, ignored: ['tools.web_search', 'tool_choice'] },
    ],
    [
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [{ type: 'custom', name: 'p' }, { type: 'web_search' }],
      },
      { offered: ['p'], toolChoice: 'required' },
    ],
  ])('%j', (choice, expected) => {
    expect(read(tools, choice)).toMatchObject(expected)
  })

  test('of an unknown tool is refused', () => {
    expect(() => read(tools, { type: 'function', name: 'z' })).toThrow(/tool_choice/)
    const allowed = { type: 'allowed_tools', tools: [{ type: 'function', name: 'z' }] }
    expect(() => read(tools, allowed)).toThrow(/tool_choice/)
  })

  test('of an ignored tool is ignored', () => {
    expect(read([{ type: 'web_search' }], 'required')).toEqual({
      offered: [],
      toolChoice: undefined,
      ignored: ['tools.web_search', 'tool_choice'],
    })
  })
})

test.each<[Record<string, unknown>, string]>([
  [customArguments('*** Begin Patch\n"x"'), '*** Begin Patch\n"x"'],
  [{ input: '' }, ''],
  [{ patch: 'text' }, 'text'],
  [{ input: 'text', other: 1 }, 'text'],
  [{}, ''],
  [{ a: 1, b: 2 }, '{"a":1,"b":2}'],
])('the input of %j is %j', (input, text) => {
  expect(customInput({ id: '1', name: 'p', input })).toBe(text)
})

const PATCH = '*** Begin Patch\n+"a" \\d\n*** End Patch'
const wrapped = JSON.stringify(PATCH)

describe('the input of a custom tool is the text of the model', () => {
  test.each([
    PATCH,
    wrapped,
    ` ${wrapped}\n`,
    JSON.stringify(wrapped),
    JSON.stringify(JSON.stringify(wrapped)),
    `"${PATCH.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`,
    `\`\`\`json\n${wrapped}\n\`\`\``,
    JSON.stringify({ input: PATCH }),
    JSON.stringify(JSON.stringify({ input: PATCH })),
    JSON.stringify(JSON.stringify({ patch: PATCH })),
    JSON.stringify({ input: { patch: PATCH } }),
    JSON.stringify({ input: [PATCH] }),
    JSON.stringify({ command: ['p', PATCH] }),
    JSON.stringify({ input: { command: ['p', PATCH] } }),
    JSON.stringify(['p', PATCH]),
    JSON.stringify([PATCH]),
    JSON.stringify([{ input: PATCH }]),
  ])('in %j', (written) => {
    expect(customInput(callOf('1', 'p', readCallArguments(written)))).toBe(PATCH)
  })

  test.each<[string, string]>([
    ['*** Begin Patch', '*** Begin Patch'],
    ['say "a"', 'say "a"'],
    ['"a" and "b"', '"a" and "b"'],
    ['"a', '"a'],
    ['""', ''],
    ['', ''],
    ['[1, 2]', '[1, 2]'],
    ['["a", "b"]', '["a", "b"]'],
    ['"7"', '7'],
    ['7', '7'],
    ['true', 'true'],
    ['{"a":["b","c"]}', '{"a":["b","c"]}'],
    ['{"input":null,"a":"b"}', '{"input":null,"a":"b"}'],
    ['{"a":{"b":{"c":{"d":{"e":"f"}}}}}', '{"a":{"b":{"c":{"d":{"e":"f"}}}}}'],
  ])('and %j is %j', (written, text) => {
    expect(customInput(callOf('1', 'p', readCallArguments(written)))).toBe(text)
  })
})
