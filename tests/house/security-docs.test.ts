import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const TABLE = readFileSync('docs/asvs.md', 'utf8')
const LINES = TABLE.split('\n').filter((line) => /^\| \d/.test(line))

test('the ASVS table has each of the 253 requirements of levels 1 and 2 once, with a result', () => {
  const ids = LINES.map((line) => line.split('|')[1]?.trim())
  expect([ids.length, new Set(ids).size]).toEqual([253, 253])
  const unclear = LINES.filter(
    (line) => !/\| (met: `|\*\*not met\*\*: \S|not applicable: \S)[^|]*\|$/.test(line),
  )
  expect(unclear).toEqual([])
  const count = (result: string): number => LINES.filter((line) => line.includes(`| ${result}: `)).length
  expect(TABLE.replace(/\s+/g, ' ')).toContain(
    `${count('met')} are met, ${count('**not met**')} are not met, and ${count('not applicable')} do not apply`,
  )
})

test('every test named in the table exists', () => {
  const named = [...TABLE.matchAll(/`([\w/.-]+\.test\.tsx?)`/g)].map(([, file = '']) => file)
  expect(named.length).toBeGreaterThan(100)
  expect(named.filter((file) => !existsSync(file))).toEqual([])
})

test('docs/security.md has the markers for the results of the attacks', () => {
  const text = readFileSync('docs/security.md', 'utf8')
  expect(text.indexOf('<!-- attacks: written by npm run test:attacks -- --write-docs -->')).toBeGreaterThan(0)
  expect(text.indexOf('<!-- /attacks -->')).toBeGreaterThan(0)
})
