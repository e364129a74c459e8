import { expect, test } from 'vitest'
import { markHits } from './highlight.ts'

const hitsOf = (text: string, ...words: string[]): string[] =>
  markHits(text, { words, phrases: [], prefixes: [] })
    .filter(({ isHit }) => isHit)
    .map((piece) => piece.text)

test('matching words are marked, and the pieces add up to the text', () => {
  const text = 'Refunds: we refund what you return. Returning is free.'
  const pieces = markHits(text, { words: ['refund', 'returns'], phrases: [], prefixes: [] })
  expect(pieces.map((piece) => piece.text).join('')).toBe(text)
  expect(hitsOf(text, 'refund', 'returns')).toEqual(['Refunds', 'refund', 'return', 'Returning'])
})

test('words that only share a prefix are not marked, nor stop words beside longer words', () => {
  expect(hitsOf('The report is in the repository', 'the', 'report')).toEqual(['report'])
  expect(hitsOf('To be or not', 'to', 'be')).toEqual(['To', 'be'])
  expect(hitsOf('Rule 42 of the rules', 'rule', '42')).toEqual(['Rule', '42', 'rules'])
})

test('prefixes, phrases, unspaced scripts and other letter cases are marked', () => {
  const marked = (text: string, sought: Partial<Parameters<typeof markHits>[1]>) =>
    markHits(text, { words: [], phrases: [], prefixes: [], ...sought })
      .filter(({ isHit }) => isHit)
      .map((piece) => piece.text)
  expect(marked('Webhooks and websites', { prefixes: ['web'] })).toEqual(['Webhooks', 'websites'])
  expect(marked('A long red train', { phrases: ['red train'] })).toEqual(['train'])
  expect(marked('我们的营业时间', { words: ['营', '业'] })).toEqual(['营业'])
  expect(marked('GRÖSSE', { words: ['grösse'] })).toEqual(['GRÖSSE'])
})
