import { expect, test } from 'vitest'
import { toPseudo } from './to-pseudo.ts'

test.each([
  ['a short label', 'Save', '[Šåvé ~~]'],
  ['arguments and tags', 'Added <ago></ago> by {name}', '[Åddéd <ago></ago> bý {name} ~~~~]'],
])('the pseudo-language accents and pads %s', (_, english, pseudo) => {
  expect(toPseudo(english)).toBe(pseudo)
})

test('the padding of the pseudo-language can wrap', () => {
  const text = toPseudo('Every member of this organization can use the connection of this account.')
  const [, padding = ''] = /( [~ ]+)\]$/.exec(text) ?? []
  expect(padding.length).toBeGreaterThan(20)
  expect(Math.max(...padding.split(' ').map(({ length }) => length))).toBeLessThanOrEqual(5)
})
