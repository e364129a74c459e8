/** How a cell shows its number: as a number, a percentage, a moment, or a duration. */
export type NumberFormat =
  | { kind: 'number' | 'percent' }
  | {
      kind: 'moment'
      hasDate: boolean
      hasTime: boolean
      /** Whether the seconds are shown, and how many decimals they have. */
      hasSeconds: boolean
      decimals: number
    }
  | {
      kind: 'duration'
      /** The unit that is not limited to 23 or 59. */
      unit: 'h' | 'm' | 's'
      hasMinutes: boolean
      hasSeconds: boolean
      decimals: number
    }

export const PLAIN_NUMBER: NumberFormat = { kind: 'number' }

/** Maximum length of a format code. Excel allows 255 characters. */
const CODE_CHARACTERS_MAX = 1_000

/**
 * Codes of the formats that files name by number only (ECMA-376, 18.8.30). Others show plain numbers, or depend on the
 * language and show dates.
 */
const BUILT_IN: Record<number, string> = {
  9: '0%',
  10: '0.00%',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'm/d/yy h:mm',
  32: 'h:mm',
  33: 'h:mm:ss',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
}

/** Returns the format with this number. Formats 27 to 36 and 50 to 58 are dates of East Asian languages. */
export function builtInFormat(id: number): NumberFormat {
  const code = BUILT_IN[id]
  if (code !== undefined) return parseFormat(code)
  return (id >= 27 && id <= 36) || (id >= 50 && id <= 58) ? parseFormat('yyyy-mm-dd') : PLAIN_NUMBER
}

/** Parses the first section of a format code (ECMA-376, 18.8.31). */
export function parseFormat(code: string): NumberFormat {
  const plain = code
    .slice(0, CODE_CHARACTERS_MAX)
    // Literal text: "Day", \d, and the characters that set a width or fill the cell.
    .replace(/"[^"]{0,255}"|\\.|_.|\*./gs, '')
    .replace(/\[(?!(?:h+|m+|s+)\])[^\]]{0,255}\]/gi, '')
  const [section = ''] = plain.split(';')
  if (/^\s*general\s*$/i.test(section)) return PLAIN_NUMBER
  const codes = section.match(/\[(?:h+|m+|s+)\]|am\/pm|a\/p|y+|m+|d+|h+|s+|e(?![+-])|[bg]+/gi) ?? []
  const units = codes.map((unit) => unit.toLowerCase())
  const decimals = Math.min(3, /s\]?\.(0+)/i.exec(section)?.[1]?.length ?? 0)
  const elapsed = units.find((unit) => unit.startsWith('['))
  const isMinute = (index: number): boolean =>
    /^m{1,2}$/.test(units[index] ?? '') &&
    (/^\[?h/.test(units[index - 1] ?? '') || /^\[?s/.test(units[index + 1] ?? ''))
  const has = (letter: string): boolean => units.some((unit) => unit.startsWith(letter))
  const hasMinutes = units.some((_, index) => isMinute(index))
  if (elapsed !== undefined)
    return {
      kind: 'duration',
      unit: elapsed[1] as 'h' | 'm' | 's',
      hasMinutes: hasMinutes || has('m'),
      hasSeconds: has('s'),
      decimals,
    }
  const hasDate = /[ydbge]/.test(units.filter((unit) => !/^a/.test(unit)).join('')) || units.some(isMonth)
  const hasTime = has('h') || has('s')
  if (hasDate || hasTime) return { kind: 'moment', hasDate, hasTime, hasSeconds: has('s'), decimals }
  return section.includes('%') ? { kind: 'percent' } : PLAIN_NUMBER

  function isMonth(unit: string, index: number): boolean {
    return unit.startsWith('m') && !isMinute(index)
  }
}

const DAY_MS = 86_400_000
/** Days from 1899-12-30, day 0 of spreadsheets, to 1970-01-01. */
const DAYS_TO_1970 = 25_569
/** Days between the two calendars: 1904-01-01 is day 0 of the other one. */
const DAYS_TO_1904 = 1_462
/** 9999-12-31, and LibreOffice's first date in the year 1. */
const DAY_MAX = 2_958_465
const DAY_LEAST = -693_593
/** Digits of a number that a spreadsheet keeps. */
const DIGITS = 15

/**
 * Shows a number in a format: dates and times as in ISO 8601 without a time zone, durations as `36:00`, percentages as
 * `7.5%`. A date shows its time only where the format does and the time is not midnight. Numbers that are no date in
 * the calendar stay numbers.
 */
export function showNumber(value: number, format: NumberFormat, is1904: boolean): string {
  switch (format.kind) {
    case 'number':
      return String(value)
    case 'percent':
      return `${Number((value * 100).toPrecision(DIGITS))}%`
    case 'moment':
      return showMoment(value, format, is1904)
    case 'duration':
      return showDuration(value * DAY_MS, format)
  }
}

type Moment = Extract<NumberFormat, { kind: 'moment' }>
type Duration = Extract<NumberFormat, { kind: 'duration' }>

function showMoment(
  value: number,
  { hasDate, hasTime, hasSeconds, decimals }: Moment,
  is1904: boolean,
): string {
  const serial = value + (is1904 ? DAYS_TO_1904 : 0)
  if (!(serial <= DAY_MAX + 1 && serial >= DAY_LEAST)) return String(value)
  // Times are rounded, because 14:30 is stored as 0.604166666.
  const step = hasTime ? 1_000 / 10 ** decimals : DAY_MS
  const ms = (hasTime ? Math.round((serial * DAY_MS) / step) : Math.floor(serial)) * step
  const time = clockOf(((ms % DAY_MS) + DAY_MS) % DAY_MS, { hasSeconds, decimals })
  // Day 0 is no date: a time, or an empty cell of another sheet.
  const isTime = ms >= 0 && ms < DAY_MS && !is1904
  if (!hasDate) return time
  if (isTime) return hasTime && ms > 0 ? time : String(value)
  const day = dateOf(Math.floor(ms / DAY_MS), is1904)
  return hasTime && ms % DAY_MS !== 0 ? `${day} ${time}` : day
}

/** Spreadsheets count a day 1900-02-29, which didn't exist (ECMA-376, 18.17.4.1). */
function dateOf(serial: number, is1904: boolean): string {
  if (serial === 60 && !is1904) return '1900-02-29'
  const day = serial > 0 && serial < 60 && !is1904 ? serial + 1 : serial
  return new Date((day - DAYS_TO_1970) * DAY_MS).toISOString().slice(0, 10)
}

/** Shows the seconds if the format does, or if there are any. */
function clockOf(ms: number, { hasSeconds, decimals }: { hasSeconds: boolean; decimals: number }): string {
  const time = new Date(ms).toISOString().slice(11, 23)
  if (decimals > 0) return time.slice(0, 9 + decimals)
  return hasSeconds || !time.startsWith(':00', 5) ? time.slice(0, 8) : time.slice(0, 5)
}

function showDuration(ms: number, { unit, hasMinutes, hasSeconds, decimals }: Duration): string {
  const step = 1_000 / 10 ** decimals
  const total = Math.round(Math.abs(ms) / step) * step
  if (!Number.isSafeInteger(Math.round(total))) return String(ms / DAY_MS)
  const sign = ms < 0 && total > 0 ? '-' : ''
  const seconds = (of: number): string =>
    (of / 1_000).toFixed(decimals).padStart(decimals > 0 ? 3 + decimals : 2, '0')
  if (unit === 's') return `${sign}${(total / 1_000).toFixed(decimals)}`
  const minutes = Math.floor(total / 60_000)
  const rest = hasSeconds || total % 60_000 !== 0 ? `:${seconds(total % 60_000)}` : ''
  if (unit === 'm') return `${sign}${String(minutes).padStart(2, '0')}${rest}`
  if (!hasMinutes && !hasSeconds && total % 3_600_000 === 0) return `${sign}${minutes / 60}`
  return `${sign}${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}${rest}`
}
