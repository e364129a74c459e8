import { expect, test } from 'vitest'
import { readCollection } from '#tests/support/retrieval.ts'
import { dropNearDuplicates } from './near-duplicates.ts'

const kept = (...texts: string[]): string[] => dropNearDuplicates(texts, (text) => text)
const { passages } = readCollection()
const [one = '', other = ''] = passages.map(({ text }) => text).filter((text) => text.split(' ').length > 60)

test('the first of several equal texts is kept', () => {
  expect(kept(one, other, one)).toEqual([one, other])
  expect(kept(one.toUpperCase(), one.replaceAll(' ', '\n'))).toEqual([one.toUpperCase()])
  expect(kept(`${one} And a little more.`, one)).toEqual([`${one} And a little more.`])
})

test('a later text that only adds something is dropped', () => {
  expect(kept(one, `${other} ${one}`)).toEqual([one])
})

test('a text that shares only a part is kept', () => {
  const half = one.slice(0, one.length / 2)
  expect(kept(`${half} ${other}`, one)).toHaveLength(2)
  const otherwise = one.split(' ').reverse().join(' ')
  expect(kept(one, otherwise)).toEqual([one, otherwise])
})

test('short texts are compared word by word, and texts without words are all kept', () => {
  expect(kept('Red wine', 'red wine!', 'wine red', 'red wine too')).toEqual([
    'Red wine',
    'wine red',
    'red wine too',
  ])
  expect(kept('', '...', '')).toEqual(['', '...', ''])
})

test('distinct passages are all kept', () => {
  const texts = [...new Set(passages.map(({ text }) => text))].slice(0, 60)
  expect(kept(...texts)).toEqual(texts)
})
