import type { Lines, Range } from './text-lines.ts'

/** Records at the start of a table among which the header is searched. */
const RECORDS_MAX = 24
/** Records after a blank line that show whether another table starts. */
const NEXT_RECORDS_MAX = 6
/** The header has values in at least this share of the columns. A title or a date above it has fewer. */
const SHARE = 0.6

interface Record extends Range {
  /** Values that are not blank. */
  values: number
  numbers: number
  /** True if a blank line precedes the record. */
  isAfterBlank: boolean
}

/**
 * Returns the header of the table that starts at the current line: the first record that is as wide as the table, below
 * titles and other lines. Prefers a record of words with numbers below it. Returns null if the first record is the
 * header. Examines a bounded number of lines, and does not advance.
 */
export function findHeader(lines: Lines): Range | null {
  let best: { record: Record; score: number } | null = null
  for (const group of groupsOf(peekRecords(lines, RECORDS_MAX))) {
    const found = headerOf(group)
    if (found === null || found.score <= (best?.score ?? -1)) continue
    best = found
    // Lines of a name and a value may precede a table. More columns are a table.
    if (found.score > 0 && found.record.values > 2) break
  }
  return best === null || best.record.start === lines.start ? null : best.record
}

/** Returns true if a table with its own header starts at the current line, which follows a blank line. */
export function startsTable(lines: Lines): boolean {
  const [group = []] = groupsOf(peekRecords(lines, NEXT_RECORDS_MAX))
  return headerOf(group)?.score === 2
}

/**
 * Returns the first record of a group that is as wide as the group. The score is 2 for words above numbers, 1 for words,
 * 0 for numbers, and less for a record with nothing below it.
 */
function headerOf(group: Record[]): { record: Record; score: number } | null {
  const width = Math.max(0, ...group.map(({ values }) => values))
  const least = Math.max(2, Math.ceil(width * SHARE))
  const index = group.findIndex(({ values }) => values >= least)
  const record = group[index]
  if (record === undefined) return null
  const below = group.slice(index + 1)
  if (below.length === 0) return { record, score: -0.5 }
  if (record.numbers > 0) return { record, score: 0 }
  return { record, score: below.some(({ numbers }) => numbers > 0) ? 2 : 1 }
}

function groupsOf(records: Record[]): Record[][] {
  const groups: Record[][] = []
  for (const record of records) {
    if (record.isAfterBlank || groups.length === 0) groups.push([])
    groups.at(-1)?.push(record)
  }
  return groups
}

/** Reads records of one line each. Stops at a record with a line break and at the next sheet. */
function peekRecords(lines: Lines, recordsMax: number): Record[] {
  const { start, isAfterBlank } = lines
  const texts: { text: string; at: Range; isAfterBlank: boolean }[] = []
  let wasBlank = false
  for (let count = 0; count < recordsMax && !lines.isAtEnd; count++) {
    if (wasBlank && lines.beginsWith('# ')) break
    const { beginning } = lines
    if ((beginning.split('"').length - 1) % 2 === 1) break
    if (!lines.isBlank)
      texts.push({ text: beginning, at: { start: lines.start, end: lines.end }, isAfterBlank: wasBlank })
    wasBlank = lines.isBlank
    lines.next()
  }
  lines.goTo(start)
  lines.isAfterBlank = isAfterBlank
  const separator = separatorOf(texts.map(({ text }) => text))
  return texts.map(({ text, at, isAfterBlank }) => {
    const values = valuesOf(text, separator)
    return { ...at, isAfterBlank, values: values.length, numbers: values.filter(isNumber).length }
  })
}

/**
 * Returns the separator of a table: the one that most records have, outside of quotes. Where commas are in as many
 * records, they are decimal signs.
 */
function separatorOf(texts: string[]): string {
  const plain = texts.map(withoutQuoted)
  const countOf = (separator: string): number => plain.filter((text) => text.includes(separator)).length
  return [';', '\t', ','].reduce((best, separator) => (countOf(separator) > countOf(best) ? separator : best))
}

const withoutQuoted = (text: string): string => text.replace(/"[^"]*"/g, 'x')

const valuesOf = (text: string, separator: string): string[] =>
  withoutQuoted(text)
    .split(separator)
    .map((value) => value.trim())
    .filter((value) => value !== '')

/** Returns true for numbers, amounts, percentages, dates and times. A year is no number, because headers name years. */
const isNumber = (value: string): boolean =>
  value.length <= 40 &&
  /^[^\p{L}\d]{0,3}\d[\d.,:/ '\u00a0-]{0,30}(?:%|\s?\p{L}{1,3}|\s?\p{Sc})?$/u.test(value) &&
  !/^(?:19|20)\d\d$/.test(value)
