/** One level of a numbered list. */
export interface Level {
  start: number
  format: string
  /** Text of the number. %1 stands for the number of the first level. */
  text: string
  /** Level after which the numbers restart, from 1. 0 if they never do. */
  restart: number
  isLegal: boolean
  /** Style whose paragraphs are on this level. */
  style: string
}

export const LEVELS_MAX = 9
const LABEL_CHARACTERS_MAX = 100

/** Counts the paragraphs of one list. */
export class ListCounter {
  #counts: (number | null)[] = []

  /** Continues at `start` on this level. */
  restart(level: number, start: number): void {
    this.#counts[level] = start - 1
  }

  /** Counts a paragraph and returns its number, such as `§5` or `1.2.3`. Returns '' for bullets. */
  next(levels: readonly (Level | undefined)[], at: number): string {
    const level = levels[at]
    if (level === undefined) return ''
    for (let deeper = at + 1; deeper < LEVELS_MAX; deeper++) {
      const after = levels[deeper]?.restart ?? deeper
      if (after !== 0 && at < after) this.#counts[deeper] = null
    }
    this.#counts[at] = (this.#counts[at] ?? level.start - 1) + 1
    if (level.format === 'bullet') return ''
    return level.text
      .replace(/%([1-9])/g, (_, digit) => {
        const index = Number(digit) - 1
        const shown = levels[index]
        if (shown === undefined) return ''
        const count = this.#counts[index] ?? shown.start
        this.#counts[index] = count
        return formatNumber(count, level.isLegal && shown.format !== 'none' ? 'decimal' : shown.format)
      })
      .slice(0, LABEL_CHARACTERS_MAX)
      .trim()
  }
}

/** Greatest number that is written with letters or Roman digits. Greater ones are written with digits. */
const LETTERS_MAX = 780
const ROMAN_MAX = 3_999

/** Writes a number in a format of Word's (ECMA-376, 17.18.59). Unknown formats are decimal. */
export function formatNumber(number: number, format: string): string {
  switch (format) {
    case 'none':
      return ''
    case 'decimalZero':
      return String(number).padStart(2, '0')
    case 'lowerLetter':
      return letters(number)
    case 'upperLetter':
      return letters(number).toUpperCase()
    case 'lowerRoman':
      return roman(number).toLowerCase()
    case 'upperRoman':
      return roman(number)
    case 'ordinal':
      return `${number}${ordinalEnding(number)}`
    case 'decimalEnclosedCircle':
    case 'decimalEnclosedCircleChinese':
      return number >= 1 && number <= 20 ? String.fromCodePoint(0x245f + number) : String(number)
    case 'russianLower':
      return cyrillic(number)
    case 'russianUpper':
      return cyrillic(number).toUpperCase()
    case 'chineseCounting':
    case 'chineseCountingThousand':
    case 'ideographDigital':
    case 'japaneseCounting':
    case 'taiwaneseCounting':
    case 'taiwaneseCountingThousand':
      return chinese(number)
    default:
      return String(number)
  }
}

/** a to z, then aa, bb and so on. */
const letters = (number: number): string =>
  number < 1 || number > LETTERS_MAX
    ? String(number)
    : String.fromCharCode(97 + ((number - 1) % 26)).repeat(Math.ceil(number / 26))

const CYRILLIC = 'абвгдежзиклмнопрстуфхцчшщэюя'
const cyrillic = (number: number): string => CYRILLIC[number - 1] ?? String(number)

const ROMAN: [number, string][] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
]

function roman(number: number): string {
  if (number < 1 || number > ROMAN_MAX) return String(number)
  let [left, text] = [number, '']
  for (const [value, digit] of ROMAN) for (; left >= value; left -= value) text += digit
  return text
}

function ordinalEnding(number: number): string {
  const [tens, ones] = [number % 100, number % 10]
  if (tens >= 11 && tens <= 13) return 'th'
  return { 1: 'st', 2: 'nd', 3: 'rd' }[ones] ?? 'th'
}

const CHINESE = '〇一二三四五六七八九'

function chinese(number: number): string {
  if (number < 1 || number > 99) return String(number)
  const [tens, ones] = [Math.floor(number / 10), number % 10]
  return `${tens > 1 ? CHINESE[tens] : ''}${tens > 0 ? '十' : ''}${ones > 0 ? CHINESE[ones] : ''}`
}
