import { expect, test } from 'vitest'
import { readCollection } from '#tests/support/retrieval.ts'
import { dropNearDuplicates } from './near-duplicates.ts'

const kept = (...texts: string[]): string[] => dropNearDuplicates(texts, (text) => text)
const { passages } = readCollection()
const [one = '', other = ''] = passages.map(({ text }) => text).filter((text) => text.split(' ').length > 60)

test('of texts that say the same the first is kept', () => {
  expect(kept(one, other, one)).toEqual([one, other])
  expect(kept(one.toUpperCase(), one.replaceAll(' ', '\n'))).toEqual([one.toUpperCase()])
  expect(kept(`${one} And a little more.`, one)).toEqual([`${one} And a little more.`])
})

test('also where the later one says more besides', () => {
  expect(kept(one, `${other} ${one}`)).toEqual([one])
})

test('what shares a part only is kept', () => {
  const half = one.slice(0, one.length / 2)
  expect(kept(`${half} ${other}`, one)).toHaveLength(2)
  const otherwise = one.split(' ').reverse().join(' ')
  expect(kept(one, otherwise)).toEqual([one, otherwise])
})

test('short texts are the same word by word; a text without words is like no other', () => {
  expect(kept('Red wine', 'red wine!', 'wine red', 'red wine too')).toEqual([
    'Red wine',
    'wine red',
    'red wine too',
  ])
  expect(kept('', '...', '')).toEqual(['', '...', ''])
})

test('passages that nobody copied are all kept', () => {
  const texts = [...new Set(passages.map(({ text }) => text))].slice(0, 60)
  expect(kept(...texts)).toEqual(texts)
})
