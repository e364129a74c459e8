/*
 * JSON whose numbers keep all digits. JavaScript's numbers have about 16, so an id such as 1234567890123456789 would
 * become another one.
 */

/** A number that JavaScript cannot represent, as it was written. JSON.stringify writes it unchanged. */
export interface ExactNumber {
  readonly rawJSON: string
}

const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): ExactNumber
  isRawJSON(value: unknown): value is ExactNumber
}

export const isExactNumber = isRawJSON

/** Matches texts that may contain a number with more digits, or a larger exponent, than JavaScript's. */
const MAY_BE_LONG = /(?:^|[[:,\s])-?(?:[\d.]{16}|[\d.]+e[+-]?\d{3})/i

/**
 * Maximum digits and exponent of a number that is kept. PostgreSQL's numbers, also those in JSON, have up to 131,072 digits
 * before the point and 16,383 behind it.
 */
const DIGITS_MAX = 10_000

/**
 * Parses JSON like JSON.parse, but returns an ExactNumber for each number that JavaScript would round. Returns numbers that
 * no database can store as text.
 */
export const parseExactJson = (text: string): unknown =>
  MAY_BE_LONG.test(text)
    ? JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown)
    : JSON.parse(text)

/** Replaces the ExactNumbers of a value in place by rounded numbers, except within properties of a name, if given. */
export function roundOutside(name: string | null, value: unknown): void {
  if (value === null || typeof value !== 'object') return
  const parts = value as Record<string, unknown>
  for (const [key, part] of Object.entries(parts))
    if (isExactNumber(part)) parts[key] = key === name ? part : Number(part.rawJSON)
    else if (key !== name) roundOutside(name, part)
}

function keepDigits(_key: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined) return value
  if (source.length > DIGITS_MAX) return source
  const isWhole = /^-?\d+$/.test(source)
  // Beyond this range, JavaScript writes whole numbers in another form, which other languages read as fractions.
  const isKept = isWhole ? Number.isSafeInteger(value) : digitsOf(source) === digitsOf(String(value))
  if (isKept) return value
  const exponent = Math.abs(Number(/e(.*)$/i.exec(source)?.[1] ?? 0))
  return exponent > DIGITS_MAX ? source : rawJSON(source)
}

/** Returns the significant digits and the exponent of a number, which are equal for equal numbers. */
function digitsOf(number: string): string {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  // A regular expression for the zeros at the end takes quadratic time for zeros elsewhere.
  let end = digits.length
  while (digits[end - 1] === '0') end -= 1
  const significant = digits.slice(0, end)
  const power = Number(exponent) - fraction.length + digits.length - significant.length
  return significant === '' ? '0' : `${significant}e${power}`
}
