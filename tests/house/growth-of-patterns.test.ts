import { globSync, readFileSync } from 'node:fs'
import { parseAst } from 'rolldown/parseAst'
import { describe, expect, test } from 'vitest'

/*
 * No regular expression of the server or the packages takes time that grows faster than the text. Each literal with an
 * unbounded quantifier runs on texts made of its own characters. A new one is therefore tested without a row. Functions
 * that read text otherwise have rows in growth.test.ts.
 */

const FILES = ['server/**/*.ts', 'packages/*/src/**/*.ts']
/** Linear matching of this many characters takes about a millisecond, quadratic matching hundreds. */
const CHARACTERS = 20_000
const MEASURED_MS = 30
/** A doubled text may take this many times as long. */
const GROWTH_MAX = 3
const ATTEMPTS = 4
/** A character that no pattern matches, so that a match fails at the end of the text. */
const STRANGER = '\u0001'

/** Patterns that read only short text, with the reason. */
const BOUNDED: Record<string, string> = {
  '\\/+$':
    'base URLs of the operator, of the caller of the client, and of models and buckets, with a maximum length',
  '(:\\/\\/[^:@/?#]*):.*@': 'settings of the operator',
  '([?&][^=&#]*(?:pass|secret|token|key)[^=&#]*=)[^&#]*': 'settings of the operator',
  ':\\/\\/[^:@/?#]*:(.*)@': 'settings of the operator',
  '0+$': 'prices, which the server computes',
  'e5-.*instruct': 'names of models, with a maximum length',
  '=+$': 'password hashes of the server',
}

interface Pattern {
  where: string
  source: string
  flags: string
}

/** Returns the literals of a file, at any depth of its syntax tree. */
function patternsIn(file: string): Pattern[] {
  const found: Pattern[] = []
  const visit = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return
    const { regex } = node as { regex?: { pattern: string; flags: string } }
    if (regex) found.push({ where: file, source: regex.pattern, flags: regex.flags })
    else Object.values(node).forEach(visit)
  }
  visit(parseAst(readFileSync(file, 'utf8'), { lang: 'ts' }))
  return found
}

/** Whether the pattern has a quantifier without a maximum. Escapes and classes are no quantifiers. */
const isUnbounded = ({ source }: Pattern): boolean =>
  /[*+]|\{\d+,\}/.test(source.replace(/\\./g, 'a').replace(/\[[^\]]*\]/g, 'a'))

/** Returns strings whose repetition is slow for patterns with these characters: single ones, pairs and words. */
function unitsOf({ source }: Pattern): string[] {
  const plain = source
    .replaceAll('\\s', ' ')
    .replaceAll('\\n', '\n')
    .replaceAll('\\t', '\t')
    .replaceAll('\\r', '\r')
    .replaceAll('\\d', '1')
    .replaceAll('\\w', 'a')
    .replace(/\\[pP]\{[^}]*\}/g, 'é')
    .replace(/\\(.)/g, '$1')
  const characters = [...new Set([...plain, ' ', 'a', '1', '\n'])].slice(0, 24)
  const words = plain.split(/[()[\]|*+?{}^$]+/).filter((word) => word.length > 1)
  const pairs = words.flatMap((word) => [' ', 'a'].map((rest) => word + rest))
  return [...new Set([...characters, ...words, ...pairs])].slice(0, 60)
}

const PATTERNS = globSync(FILES, { exclude: ['**/node_modules/**'] })
  .filter((file) => !file.endsWith('.test.ts'))
  .sort()
  .flatMap((file) => patternsIn(file))
  .filter(isUnbounded)

test('patterns with unbounded quantifiers are found', () => {
  expect(PATTERNS.length).toBeGreaterThan(100)
})

test('each exception names a pattern', () => {
  const names = PATTERNS.map(({ source }) => source)
  expect(Object.keys(BOUNDED).filter((source) => !names.includes(source))).toEqual([])
})

describe.each(PATTERNS.filter(({ source }) => !(source in BOUNDED)))('$where', (pattern) => {
  test(`/${pattern.source}/ takes time that grows like the text`, () => {
    expect(unitsOf(pattern).filter((unit) => isSlow(pattern, unit))).toEqual([])
  })
})

function isSlow({ source, flags }: Pattern, unit: string): boolean {
  const read = (characters: number): number => {
    const text = unit.repeat(Math.ceil(characters / unit.length)) + STRANGER
    const before = process.threadCpuUsage()
    text.replace(new RegExp(source, flags), '')
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  }
  if (read(CHARACTERS) < MEASURED_MS) return false
  let growth = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && growth > GROWTH_MAX; attempt += 1)
    growth = Math.min(growth, read(CHARACTERS) / Math.max(read(CHARACTERS / 2), 1))
  return growth > GROWTH_MAX
}
