import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { boundsOf, type Document, limitsOf, serverFiles } from '../../scripts/limits.ts'
import { withTables } from '../../scripts/limits-page.ts'

/** Every size and number that a caller sends has a bound, and docs/limits.md lists it. */

const DOCUMENT: Document = JSON.parse(readFileSync('openapi.json', 'utf8'))

/** Fields of any type, with the limit of the record that contains them. */
const BOUND_TOGETHER: Record<string, string> = {
  'tools[].config[].value': 'CONFIG_CHARACTERS_MAX',
  'config_items[].value': 'CONFIG_CHARACTERS_MAX',
  'config_items[].value[]': 'CONFIG_CHARACTERS_MAX',
}

test('every request field has a bound', () => {
  const unbounded = boundsOf(DOCUMENT).filter(({ bound, path }) => bound === null && !BOUND_TOGETHER[path])
  expect(unbounded.map(({ operation, path, kind }) => `${operation}: ${path} (${kind})`)).toEqual([])
  const names = limitsOf().map(({ name }) => name)
  expect(Object.values(BOUND_TOGETHER).filter((name) => !names.includes(name))).toEqual([])
})

test('every limit that an error shows has the tag @limit', () => {
  const limits = limitsOf()
  const untagged = serverFiles().flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(REPORT)].flatMap(([report]) =>
      [...report.matchAll(/\b(?:limit|max): ([A-Z][A-Z0-9_]+)\b/g)].flatMap(([, name = '']) => {
        const same = limits.filter((limit) => limit.name === name)
        const own = same.filter((limit) => limit.file === file)
        return (own.length > 0 ? own : same).some(({ words }) => words !== undefined)
          ? []
          : [`${file}: ${name}`]
      }),
    ),
  )
  expect(untagged).toEqual([])
})
/** A call that makes an error or its sentence. */
const REPORT = /\b(?:fail|sentence)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g

test('docs/limits.md matches the code (npm run limits)', () => {
  const page = readFileSync('docs/limits.md', 'utf8')
  expect(withTables(page, DOCUMENT)).toBe(page)
})
