import { expect, test } from 'vitest'
import { configWith, isKeptSecret, textOf } from './tool-config.ts'

const CONFIG = [
  { name: 'unit', value: 'celsius' },
  { name: 'api_key', value: null },
  { name: 'labels', value: { a: 1 } },
]

test('fields show values as text, and lists and objects as JSON', () => {
  expect(['unit', 'api_key', 'labels', 'other'].map((name) => textOf(CONFIG, name))).toEqual([
    'celsius',
    '',
    '{"a":1}',
    '',
  ])
})

test('an empty field keeps a stored secret, and a new value replaces it in place', () => {
  expect(isKeptSecret(CONFIG, 'api_key')).toBe(true)
  expect(isKeptSecret(CONFIG, 'unit')).toBe(false)
  expect(isKeptSecret(undefined, 'api_key')).toBe(false)
  const typed = configWith(CONFIG, 'api_key', 'new', true)
  expect(typed.map(({ value }) => value)).toEqual(['celsius', 'new', { a: 1 }])
  expect(configWith(typed, 'api_key', '', true)).toEqual(CONFIG)
})

test('an empty value is removed', () => {
  expect(configWith(CONFIG, 'unit', '', false).map(({ name }) => name)).toEqual(['api_key', 'labels'])
  expect(configWith([], 'unit', 'kelvin', false)).toEqual([{ name: 'unit', value: 'kelvin' }])
})
