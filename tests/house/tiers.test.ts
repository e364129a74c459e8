import { existsSync, globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ALL, EVERYONE, GATE, type Tier } from '../tiers.ts'

/** Each test file runs in a tier (docs/testing.md). */

function filesOf({ include, exclude = [] }: Tier): Set<string> {
  const files = new Set(globSync(include, { exclude: ['**/node_modules/**'] }))
  for (const file of globSync(exclude)) files.delete(file)
  return files
}

test('every test file is in a tier', () => {
  const tiers = [filesOf(EVERYONE), filesOf(GATE)]
  const all = [...filesOf(ALL)]
  expect(all.length).toBeGreaterThan(400)
  expect(all.filter((file) => !tiers.some((tier) => tier.has(file)))).toEqual([])
})

test('every file that a tier names exists', () => {
  const patterns = [EVERYONE, GATE].flatMap(({ include, exclude = [], alone = [] }) => [
    ...include,
    ...exclude,
    ...alone,
  ])
  const named = patterns.flatMap((pattern) => {
    const [, before = '', names = '', after = ''] = /^([^{*]*)\{([^}]*)\}([^{*]*)$/.exec(pattern) ?? []
    return names.split(',').map((name) => `${before}${name}${after}`)
  })
  const exact = named.filter((file) => file !== '' && !file.includes('*'))
  expect(exact.length).toBeGreaterThan(50)
  expect(exact.filter((file) => !existsSync(file))).toEqual([])
})
