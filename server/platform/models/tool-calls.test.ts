import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ToolCallAssembly, type ToolCallPiece } from './tool-calls.ts'
import { ModelError, type ModelResult } from './types.ts'

function assemble(pieces: ToolCallPiece[], finishReason: ModelResult['finishReason'] = 'tool_calls') {
  const assembly = new ToolCallAssembly()
  for (const piece of pieces) assembly.add(piece)
  return assembly.finish(finishReason)
}

describe('pieces of tool calls', () => {
  const first = { id: 'a', name: 'one', input: { x: 1 } }
  const second = { id: 'b', name: 'two', input: { y: 2 } }

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
          { id: 'a', name: 'one', input },
        ])
      }),
    )
  })
})

describe('arguments', () => {
  const inputOf = (argumentsText: string) => assemble([{ id: 'a', name: 'one', argumentsText }])[0]?.input

  test.each(['', ' ', '{', '[1]', '"text"', 'null', '7', '{"a":}', '[['.repeat(50_000)])(
    'that are not an object become empty: %.20j',
    (text) => expect(inputOf(text)).toEqual({}),
  )

  test('that are nested too deeply become empty', () => {
    const nested = (levels: number) => '{"a":'.repeat(levels) + '1'.padEnd(levels + 1, '}')
    expect(inputOf(nested(60))).toHaveProperty('a')
    expect(inputOf(nested(70))).toEqual({})
  })

  test('cut off by the token limit are not a call', () => {
    const cut = { id: 'a', name: 'one', argumentsText: '{"path": "/ho' }
    const whole = { id: 'b', name: 'two', argumentsText: '' }
    expect(assemble([cut, whole], 'length').map(({ id }) => id)).toEqual(['b'])
  })

  test('are limited in length, and a reply in its calls', () => {
    const megabyte = { index: 0, argumentsText: 'x'.repeat(1024 * 1024) }
    expect(() => assemble([megabyte, { index: 1, argumentsText: 'x' }])).toThrow(ModelError)
    const many = Array.from({ length: 129 }, (_, index) => ({ index, argumentsText: '' }))
    expect(() => assemble(many)).toThrow(ModelError)
  })
})
