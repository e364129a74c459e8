import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ReplyText } from './reply-text.ts'
import { ModelError, type ToolCall } from './types.ts'

const collected = () => {
  const pieces: string[] = []
  const thoughts: string[] = []
  const calls: ToolCall[] = []
  const reply = new ReplyText({
    text: (text) => void pieces.push(text),
    reasoning: (text) => void thoughts.push(text),
    toolCall: (call) => void calls.push(call),
  })
  return { reply, pieces, thoughts, calls }
}

const asStored = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')
/** Strings of UTF-16 units that may contain lone surrogates and NUL. */
const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom('a', '\0', '\ud83d', '\ude00', '\u{1f600}', 'é'),
    fc.integer({ max: 0xffff, min: 0 }).map((unit) => String.fromCharCode(unit)),
  ),
})

test('text and reasoning stay complete and storable, however they are chunked and mixed', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), anyText)), (sent) => {
      const { reply, pieces, thoughts } = collected()
      for (const [isText, piece] of sent) isText ? reply.text(piece) : reply.reasoning(piece)
      reply.end()
      const whole = (isText: boolean) =>
        asStored(sent.map(([kind, piece]) => (kind === isText ? piece : '')).join(''))
      expect(pieces.join('')).toBe(whole(true))
      expect(thoughts.join('')).toBe(whole(false))
      for (const piece of [...pieces, ...thoughts]) expect(piece).toBe(asStored(piece))
      expect(pieces).not.toContain('')
    }),
  )
})

test('tool calls are made storable, including names and nested values', () => {
  const { reply, calls } = collected()
  reply.toolCall({
    id: 'call\0',
    name: 'tool\ud83d',
    input: { 'a\0': ['x\0', { b: '\ude00', n: 1, none: null }] },
    signature: 's\0',
  })
  expect(calls).toEqual([
    {
      id: 'call\ufffd',
      name: 'tool\ufffd',
      input: { 'a\ufffd': ['x\ufffd', { b: '\ufffd', n: 1, none: null }] },
      signature: 's\ufffd',
    },
  ])
})

test('the length of a reply and the number of calls are limited', () => {
  const { reply } = collected()
  const megabyte = 'x'.repeat(1024 * 1024)
  expect(() => {
    for (let count = 0; count < 9; count++) reply.text(megabyte)
  }).toThrow(ModelError)
  expect(() => {
    for (let count = 0; count < 129; count++) reply.toolCall({ id: '', name: '', input: {} })
  }).toThrow(ModelError)
})
