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
  'packages/**/*.ts',
]).filter((file) => !/node_modules|\/generated\.ts$/.test(file))

test('no file exceeds the line limit', () => {
  const long = FILES.filter((file) => readFileSync(file, 'utf8').split('\n').length > FILE_LINES_MAX)
  expect(long).toEqual([])
})

test('no function of the product exceeds the line limit', () => {
  const long = FILES.filter(
    (file) => /^(server|widget|packages)\//.test(file) && !file.endsWith('.test.ts'),
  ).flatMap((file) => longFunctions(file))
  expect(long).toEqual([])
})

test('file names follow the naming rules', () => {
  expect(FILES.filter((file) => FORBIDDEN_NAMES.test(file))).toEqual([])
})

test('no TODO is left', () => {
  const marks = FILES.filter((file) => /\b(TODO|FIXME|XXX)\b/.test(readFileSync(file, 'utf8')))
  expect(marks.filter((file) => file !== 'tests/house/sizes.test.ts')).toEqual([])
})

test.each([
  ['function read(): void {', '}'],
  ['export const read = (): void => {', '}'],
  ['const read = (', ') => [', ']'],
  ['class Reader {', '  async #read(): Promise<void> {', '  }', '}'],
  ['const reader = {', '  read: () => {', '  },', '}'],
  ['const read = (list) =>', 'const next = 1'],
])('finds a long function that starts with %s', (...lines) => {
  const body = Array.from({ length: FUNCTION_LINES_MAX }, () => '      again()')
  const end = lines.findIndex((line) => /^\s*[\]}]|next/.test(line))
  const long = [...lines.slice(0, end), ...body, ...lines.slice(end)]
  expect(longFunctions('a.ts', long.join('\n'))).toHaveLength(1)
  expect(longFunctions('a.ts', long.toSpliced(end, 1).join('\n'))).toHaveLength(0)
})

/** Matches the line that opens a function's body: function, arrow, method, or the end of a long signature. */
const OPENING =
  /=>(?: ?[[{(])?$|\bfunction\b.*\{$|^\s*\)(?:: .*)? \{$|^\s+(?:(?:async|static|get|set) )*#?\w+\(.*\)(?:: .*)? \{$/
const NO_FUNCTION = /^\s*(?:\} )?(?:if|else|for|while|switch|catch)\b|\btype\b/
/** A list of declared routes is data, although a function returns it. */
const ROUTES = /: Route\[\] => [[{(]$/

/** Returns the functions with a too long body, based on the formatter's indentation. */
function longFunctions(file: string, text = readFileSync(file, 'utf8')): string[] {
  const lines = text.split('\n')
  return lines.flatMap((line, begin) => {
    if (!OPENING.test(line) || NO_FUNCTION.test(line) || ROUTES.test(line)) return []
    const depth = indentOf(line)
    const after = lines.findIndex(
      (other, index) => index > begin && other.trim() !== '' && indentOf(other) <= depth,
    )
    return (after < 0 ? lines.length : after) - begin > FUNCTION_LINES_MAX ? [`${file}:${begin + 1}`] : []
  })
}

const indentOf = (line: string): number => line.length - line.trimStart().length
