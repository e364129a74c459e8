import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ToolCallAssembly, type ToolCallPiece } from './tool-calls.ts'
import { ModelError, type ModelResult } from './types.ts'

function assemble(pieces: ToolCallPiece[], finishReason: ModelResult['finishReason'] = 'tool_calls') {
  const assembly = new ToolCallAssembly()
  for (const piece of pieces) assembly.add(piece)
  return assembly.finish(finishReason)
}

/** Returns the names, inputs and faults of the calls, after a check of their ids. */
function callsOf(pieces: ToolCallPiece[]): [name: string, input: unknown][] {
  const calls = assemble(pieces)
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length)
  for (const { id } of calls) expect(id.trim()).not.toBe('')
  return calls.map(({ name, input, fault }) => [name, fault ?? input])
}

describe('pieces of tool calls', () => {
  const first = { id: 'a', name: 'one', input: { x: 1 }, argumentsText: '{"x":1}' }
  const second = { id: 'b', name: 'two', input: { y: 2 }, argumentsText: '{"y":2}' }

  test('are joined by index', () => {
    const calls = assemble([
      { index: 0, id: 'a', name: 'one', argumentsText: '' },
      { index: 1, id: 'b', name: 'two', argumentsText: '{"y"' },
      { index: 0, argumentsText: '{"x":1}' },
      { index: 1, argumentsText: ':2}' },
    ])
    expect(calls).toEqual([first, second])
  })

  test('without an index are joined until the next id', () => {
    const calls = assemble([
      { id: 'a', name: 'one', argumentsText: '{"x"' },
      { argumentsText: ':1}' },
      { id: 'b', name: 'two', argumentsText: '{"y":2}' },
    ])
    expect(calls).toEqual([first, second])
  })

  test('with the same index are separated by id', () => {
    const calls = assemble([
      { index: 0, id: 'a', name: 'one', argumentsText: '{"x":1}' },
      { index: 0, id: 'b', name: 'two', argumentsText: '{"y"' },
      { index: 0, argumentsText: ':2}' },
    ])
    expect(calls).toEqual([first, second])
  })

  test('without an id get a generated one', () => {
    const calls = assemble([
      { index: 0, name: 'one', argumentsText: '' },
      { index: 1, name: 'two', argumentsText: '' },
    ])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    for (const { id } of calls) expect(id).toMatch(/^call_\w{24}$/)
  })

  test('give the same call however they are chunked', () => {
    const input = { 'a "b"': [1, { c: 'Grüße \u{1f600}' }], d: null }
    const text = JSON.stringify(input)
    fc.assert(
      fc.property(fc.array(fc.nat(text.length)), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), text.length]
        const pieces = places
          .slice(1)
          .map((end, at) => ({ index: 3, argumentsText: text.slice(places[at], end) }))
        expect(assemble([{ index: 3, id: 'a', name: 'one', argumentsText: '' }, ...pieces])).toEqual([
          { id: 'a', name: 'one', input, argumentsText: text },
        ])
      }),
    )
  })
})

const ONE = '{"text":"one"}'
const TWO = '{"text":"two"}'
const one: [string, unknown] = ['f', { text: 'one' }]
const two: [string, unknown] = ['f', { text: 'two' }]
const f = (argumentsText: string, more: object = {}): ToolCallPiece => ({ name: 'f', argumentsText, ...more })
const rest = (argumentsText: string, more: object = {}): ToolCallPiece => ({ argumentsText, ...more })

describe('one call', () => {
  test.each<[string, ToolCallPiece[]]>([
    ['in one piece', [f(ONE, { index: 0, id: 'a' })]],
    ['with a null index', [f('{"tex', { index: null, id: 'a' }), rest('t":"one"}', { index: null })]],
    ['whose index comes late', [f('{"tex', { id: 'a' }), rest('t":"one"}', { index: 0 })]],
    ['whose name comes late', [rest('', { index: 0, id: 'a' }), f(ONE, { index: 0 })]],
    ['whose name comes last', [rest(ONE, { index: 0, id: 'a' }), f('', { index: 0 })]],
    [
      'with its name in each piece',
      [f('{"tex', { index: 0, id: 'a' }), f('t":"one"}', { index: 0, id: 'a' })],
    ],
    [
      'with its name in each piece, without ids',
      [f('', { index: 0 }), f('{"tex', { index: 0 }), f('t":"one"}', { index: 0 })],
    ],
    ['with its name in each piece, without index and ids', [f(''), f('{"tex'), f('t":"one"}'), f('')]],
    [
      'with a new id in each piece',
      [
        f('{"tex', { index: 0, id: 'a' }),
        rest('t":"o', { index: 0, id: 'b' }),
        rest('ne"}', { index: 0, id: 'c' }),
      ],
    ],
    [
      'with a new id in each piece, without an index',
      [f('{"tex', { id: 'a' }), rest('t":"one"}', { id: 'b' })],
    ],
    [
      'with a new id and its name in each piece',
      [
        f('', { index: 0, id: 'a' }),
        f('{"tex', { index: 0, id: 'b' }),
        f('t":"one"}', { index: 0, id: 'c' }),
      ],
    ],
    [
      'with a new id in a last, empty piece',
      [f(ONE, { index: 0, id: 'a' }), rest('', { index: 0, id: 'b' })],
    ],
    ['with {} first', [f('{}', { index: 0, id: 'a' }), rest(ONE, { index: 0 })]],
    [
      'with {} first, then in pieces',
      [f('{}', { index: 0, id: 'a' }), rest('{"tex', { index: 0 }), rest('t":"one"}', { index: 0 })],
    ],
    ['with {} first, and its name again', [f('{}', { index: 0, id: 'a' }), f(ONE, { index: 0, id: 'a' })]],
    ['with null first', [f('null', { index: 0, id: 'a' }), rest(ONE, { index: 0 })]],
    ['with {} last', [f(ONE, { index: 0, id: 'a' }), rest('{}', { index: 0 })]],
    ['sent twice', [f(ONE, { index: 0, id: 'a' }), f(ONE, { index: 0, id: 'a' })]],
    ['sent twice without the name', [f(ONE, { index: 0, id: 'a' }), rest(ONE, { index: 0 })]],
    [
      'sent in pieces, and then whole',
      [f('{"tex', { index: 0, id: 'a' }), rest('t":"one"}', { index: 0 }), rest(ONE, { index: 0 })],
    ],
    ['sent twice in another form', [f(ONE, { index: 0, id: 'a' }), rest('{ "text": "one" }', { index: 0 })]],
    [
      'as snapshots',
      [f('{"te', { index: 0, id: 'a' }), rest('{"text":"o', { index: 0 }), rest(ONE, { index: 0 })],
    ],
    [
      'with a name in pieces',
      [{ index: 0, id: 'a', name: 'f', argumentsText: '' }, rest(ONE, { index: 0, id: 'a', name: '' })],
    ],
  ])('%s', (_kind, pieces) => expect(callsOf(pieces)).toEqual([one]))

  test.each<[string, (string | undefined)[]]>([
    ['in pieces', ['get_', 'weather']],
    ['growing', ['get', 'get_wea', 'get_weather']],
    ['repeated', ['get_weather', 'get_weather', undefined]],
  ])('with its name %s', (_kind, names) => {
    const pieces = names.map((name) => ({ index: 0, id: 'a', name, argumentsText: '' }))
    expect(callsOf([...pieces, rest(ONE, { index: 0 })])).toEqual([['get_weather', { text: 'one' }]])
  })
})

test.each<[string, string[]]>([
  ['a space before it', [' get_weather']],
  ['a space after it', ['get_weather ']],
  ['line breaks around it', ['\n\tget_weather\r\n']],
  ['a blank piece before it', [' ', 'get_weather']],
  ['a blank piece after it', ['get_weather', '\n']],
  ['blanks around its pieces', [' get_', 'weather\n']],
  ['blanks around some repetitions', [' get_weather', 'get_weather', 'get_weather ']],
  ['quotation marks', ['"get_weather"']],
  ['backticks', ['`get_weather`']],
  ['parentheses', ['get_weather()']],
  ['a namespace', ['functions.get_weather']],
  ['a namespace and a number', ['functions.get_weather:0']],
  ['a namespace of Gemini', ['default_api.get_weather']],
  ['a namespace of Gemini with a colon', ['default_api:get_weather']],
  ['tokens of gpt-oss', ['get_weather<|channel|>commentary']],
  ['tokens of gpt-oss in pieces', ['get_weather<|chan', 'nel|>json']],
])('a name has %s', (_kind, names) => {
  const pieces = names.map((name) => ({ index: 0, id: 'a', name, argumentsText: '' }))
  expect(callsOf([...pieces, rest(ONE, { index: 0 })])).toEqual([['get_weather', { text: 'one' }]])
  expect(callsOf([...pieces, rest(ONE, { index: 0 }), rest(TWO, { index: 1, name: names[0] })])).toHaveLength(
    2,
  )
})

test('names in repeated pieces with blanks begin no other call', () => {
  expect(callsOf([f('', { name: ' f' }), f('{"tex', { name: 'f ' }), f('t":"one"}', { name: 'f' })])).toEqual(
    [one],
  )
})

test.each(['a', 'my-tool_2', 'server__tool', 'functions', 'functions.', 'default_api', 'a.b', 'a:1', '_'])(
  'the name %s stays',
  (name) => {
    expect(callsOf([{ name, argumentsText: '{}' }])).toEqual([[name, {}]])
  },
)

describe('two calls', () => {
  test.each<[string, ToolCallPiece[]]>([
    ['without an index', [f(ONE, { id: 'a' }), f(TWO, { id: 'b' })]],
    ['without index and ids', [f(ONE), f(TWO)]],
    ['with blank ids', [f(ONE, { id: '' }), f(TWO, { id: ' ' })]],
    ['with the same id', [f(ONE, { id: 'a' }), f(TWO, { id: 'a' })]],
    ['with the same id and other indexes', [f(ONE, { index: 0, id: 'a' }), f(TWO, { index: 1, id: 'a' })]],
    ['with the same index', [f(ONE, { index: 0, id: 'a' }), f(TWO, { index: 0, id: 'b' })]],
    ['with the same index, without ids', [f(ONE, { index: 0 }), f(TWO, { index: 0 })]],
    [
      'with the same index, in pieces',
      [
        f('', { index: 0, id: 'a' }),
        rest('{"text":', { index: 0 }),
        rest('"one"}', { index: 0 }),
        f('', { index: 0, id: 'b' }),
        rest(TWO, { index: 0 }),
      ],
    ],
    [
      'in turns',
      [
        f('', { index: 0, id: 'a' }),
        f('', { index: 1, id: 'b' }),
        rest(ONE, { index: 0 }),
        rest(TWO, { index: 1 }),
      ],
    ],
    [
      'without an index, in turns',
      [f('', { id: 'a' }), f('', { id: 'b' }), rest(ONE, { id: 'a' }), rest(TWO, { id: 'b' })],
    ],
  ])('%s', (_kind, pieces) => expect(callsOf(pieces)).toEqual([one, two]))

  test('of other functions, without arguments', () => {
    for (const more of [{}, { id: '' }])
      expect(
        callsOf([
          { name: 'f', argumentsText: '', ...more },
          { name: 'g', argumentsText: '', ...more },
        ]),
      ).toEqual([
        ['f', {}],
        ['g', {}],
      ])
    expect(callsOf([f('', { id: 'a' }), f('', { id: 'b' })])).toEqual([
      ['f', {}],
      ['f', {}],
    ])
  })
})

describe('a reply', () => {
  test('that the token limit cut off loses the call without an end', () => {
    const cut = { id: 'a', name: 'one', argumentsText: '{"path": "/ho' }
    const whole = { id: 'b', name: 'two', argumentsText: '' }
    expect(assemble([cut, whole], 'length').map(({ id }) => id)).toEqual(['b'])
  })

  test('is limited in its arguments and calls', () => {
    const megabyte = { index: 0, argumentsText: 'x'.repeat(1024 * 1024) }
    expect(() => assemble([megabyte, { index: 1, argumentsText: 'x' }])).toThrow(ModelError)
    const many = Array.from({ length: 129 }, (_, index) => ({ index, argumentsText: '' }))
    expect(() => assemble(many)).toThrow(ModelError)
  })
})
