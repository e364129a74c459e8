import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const FILE_LINES_MAX = 400
const FUNCTION_LINES_MAX = 90
const FORBIDDEN_NAMES = /(^|\/)(utils?|helpers?|common|managers?)(\.|\/)/

const FILES = globSync([
  'server/**/*.ts',
  'widget/**/*.{ts,tsx}',
  'tests/**/*.ts',
  'bench/**/*.ts',
  'scripts/**/*.ts',
]).filter((file) => !file.includes('node_modules'))

test('no file is longer than a person reads in one go', () => {
  const long = FILES.filter((file) => readFileSync(file, 'utf8').split('\n').length > FILE_LINES_MAX)
  expect(long).toEqual([])
})

test('no function of the product is longer than two screens', () => {
  const long = FILES.filter((file) => /^(server|widget)\//.test(file) && !file.endsWith('.test.ts')).flatMap(
    longFunctions,
  )
  expect(long).toEqual([])
})

test('files are named after what they hold', () => {
  expect(FILES.filter((file) => FORBIDDEN_NAMES.test(file))).toEqual([])
})

test('nothing is left to be done', () => {
  const marks = FILES.filter((file) => /\b(TODO|FIXME|XXX)\b/.test(readFileSync(file, 'utf8')))
  expect(marks.filter((file) => file !== 'tests/house/sizes.test.ts')).toEqual([])
})

/** Top-level functions, by where they begin and where the brace in the first column ends them. */
function longFunctions(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  const found: string[] = []
  let begin = -1
  lines.forEach((line, index) => {
    if (/^(export )?(async )?function/.test(line)) begin = index
    if (line === '}' && begin >= 0) {
      if (index - begin > FUNCTION_LINES_MAX) found.push(`${file}:${begin + 1}`)
      begin = -1
    }
  })
  return found
}
