import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextTemplate } from './text-template.ts'

const chunk = (content: string, rest: object = {}): string =>
  JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { content }, finish_reason: null }], ...rest })

test('a match equals the parsed text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (learned, next) => {
      const template = new TextTemplate()
      template.learn(chunk(learned), learned)
      const text = template.match(chunk(next))
      if (text !== undefined) expect(text).toBe(next)
    }),
  )
})

test('an event like the previous one is read without parsing', () => {
  const template = new TextTemplate()
  template.learn(chunk('Hello'), 'Hello')
  expect(template.match(chunk(' world, grüß dich \u{1f600}'))).toBe(' world, grüß dich \u{1f600}')
})

test.each([
  ['an escape', chunk('a "word"')],
  ['a new line', chunk('a\nb')],
  ['empty text', chunk('')],
  ['something after the text', chunk('b', { usage: {} })],
  ['another id', chunk('b').replace('"x"', '"y"')],
  ['a text that ends early', chunk('b').replace('"b"', '"b","c":"d"')],
  ['the end marker', '[DONE]'],
])('an event with %s has to be parsed', (_what, data) => {
  const template = new TextTemplate()
  template.learn(chunk('a'), 'a')
  expect(template.match(data)).toBeUndefined()
})

test.each(['content', 'x', '"', '\n'])(
  '%j, which also occurs elsewhere or needs an escape, is not learned',
  (text) => {
    const template = new TextTemplate()
    template.learn(chunk(text), text)
    expect(template.match(chunk('word'))).toBeUndefined()
  },
)
