import { describe, expect, test } from 'vitest'

/*
 * Measures how the time of a function grows with a text that tenants, providers or websites have written. It may not grow
 * faster than the text, because such functions run on the event loop, where one request would stop all others.
 */

/** The second text of a measurement is this many times as long as the first. */
const TIMES = 4
/** It may take this many times as long as the first. Quadratic time is 16 times as long; caches and collected garbage account for less. */
const GROWTH_MAX = 12
/** The least ratio of several counts, because a collection of garbage may fall into a measurement. */
const ATTEMPTS = 8
/** Measured from this time on, because shorter times are noise. If the longest input takes less, it is fast enough. */
const MEASURED_MS = 200
const FIRST_CHARACTERS = 4_000
const STEP = 4
const CHARACTERS_MAX = 1_024_000
/** Quadratic time is seconds for this many characters. */
const READ_CHARACTERS_MAX = 256_000
const PIECE_CHARACTERS = 64

type Run = (text: string) => unknown

export interface GrowthRow {
  what: string
  run: Run
  /** The strings for which such code is slowest. They are repeated, after a start that is not. */
  inputs: [start: string, unit: string][]
}

export const repeated = (...units: string[]): [string, string][] => units.map((unit) => ['', unit])

/** The characters at which readers of text begin something that may not end. */
const OPENINGS = repeated(
  ...[
    'a',
    'a ',
    ' ',
    '\n',
    '\t',
    'a\n',
    '<',
    '</',
    '<a ',
    '&',
    '[',
    '](',
    '{',
    '{"a":',
    '"',
    "'",
    '`',
    '``` ',
  ],
  ...[
    '\\\\',
    '\\[',
    '$',
    '*',
    '**a ',
    '_',
    '#',
    '|',
    '| a |\n',
    '-',
    '- a\n',
    '> ',
    '1. ',
    '!',
    '.',
    ',',
    ';',
    ':',
    '=',
  ],
  ...['/', '%', '%41', '@', '(', '~', '^', '0', '\r\n', 'data: ', '\u200b', '\u202e', '漢', '😀', 'e\u0301'],
)

/** A row for a function of one text, with the openings of all kinds of text and further ones of its own. */
export const readerRow = (what: string, run: Run, more: [string, string][] = []): GrowthRow => ({
  what,
  run: attempt(run),
  inputs: [...OPENINGS, ...more],
})

/** A row for a function of lists and objects that are made from a text. */
export const valueRow = (what: string, run: Run): GrowthRow => ({
  what,
  run: attempt(run),
  inputs: repeated('a', 'a ', ' ', '{"a":', '😀 '),
})

/** A network's pieces of a text. */
export function* inPieces(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += PIECE_CHARACTERS)
    yield text.slice(start, start + PIECE_CHARACTERS)
}

/** Runs a function that throws for a text that it refuses. The time until the refusal counts. */
export const attempt =
  (run: Run): Run =>
  (text) => {
    try {
      const result = run(text)
      return result instanceof Promise ? result.catch(() => {}) : result
    } catch {
      return undefined
    }
  }

/** Defines the tests of rows: one for each input. */
export function testGrowth(rows: readonly GrowthRow[]): void {
  describe.each(rows)('$what takes time that grows like the text', ({ run, inputs }) => {
    test.each(inputs)('%j and repeated %j', async (start, unit) => {
      expect(await growthOf(run, [start, unit], CHARACTERS_MAX)).toBeLessThanOrEqual(GROWTH_MAX)
    })
  })
}

/** Defines the tests of rows with many inputs, which are shorter: one for each row. */
export function testReaders(rows: readonly GrowthRow[], charactersMax = READ_CHARACTERS_MAX): void {
  test.each(rows)('$what takes time that grows like the text', async ({ run, inputs }) => {
    const slow: string[] = []
    for (const input of inputs) {
      const growth = await growthOf(run, input, charactersMax)
      if (growth > GROWTH_MAX) slow.push(`${JSON.stringify(input)}: ${growth.toFixed(1)}`)
    }
    expect(slow).toEqual([])
  })
}

/** Returns how many times as long a text of TIMES the length takes, or 0 if the longest text takes hardly any time. */
async function growthOf(run: Run, [start, unit]: [string, string], charactersMax: number): Promise<number> {
  let made = 0
  // No text is measured twice, because some functions remember what they have read.
  const textOf = (length: number) => start + unit.repeat(Math.ceil(length / unit.length) + ++made)
  let characters = FIRST_CHARACTERS
  while ((await timeOf(run, textOf(characters))) < MEASURED_MS) {
    if (characters >= charactersMax) return 0
    characters *= STEP
  }
  let growth = Number.POSITIVE_INFINITY
  for (let count = 0; count < ATTEMPTS && growth > GROWTH_MAX; count += 1) {
    const once = await timeOf(run, textOf((characters * 2) / TIMES))
    growth = Math.min(growth, (await timeOf(run, textOf(characters * 2))) / Math.max(once, 1))
  }
  return growth
}

/** Returns the processor time of a call in milliseconds, which does not depend on other processes. */
async function timeOf(run: Run, text: string): Promise<number> {
  const before = process.threadCpuUsage()
  await run(text)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
