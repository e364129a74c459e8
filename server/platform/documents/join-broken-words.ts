/** Maximum characters of a word that are examined on each side of a hyphen. */
const WORD_CHARACTERS_MAX = 40

/** A hyphen or soft hyphen between letters, at the end of a line. */
const LINE_END_HYPHEN = /(?<=\p{L})(?:\u00ad|[-\u2010])[ \t]{0,8}\n[ \t]{0,8}(?=\p{L})/gu

/** A hyphenated compound within a line, such as "long-term". */
const COMPOUND = /(?<!\p{L})\p{L}+-\p{L}+/gu

/** Words before which a hyphen stands for an omitted part: "pre- and postwar", "Haupt- und Nebensatz". */
const CONJUNCTIONS = new Set(
  'and or to und oder bzw sowie bis et ou y o e ed en of och eller og eller i a'.split(' '),
)

/**
 * Joins words that are hyphenated at the end of a line, so that search finds them. A hyphen stays if it belongs to the
 * word: before a capital letter, after an abbreviation, before a conjunction, or if the page has the same compound
 * within a line.
 */
export function joinBrokenWords(page: string): string {
  if (!/[\u00ad\u2010-]/.test(page)) return page
  const compounds = new Set(Array.from(page.matchAll(COMPOUND), ([compound]) => compound.toLowerCase()))
  return page.replace(LINE_END_HYPHEN, (match, offset: number) => {
    const [hyphen = ''] = match
    if (hyphen === '\u00ad') return ''
    const end = offset + match.length
    const [before = ''] =
      /\p{L}{1,40}$/u.exec(page.slice(Math.max(0, offset - WORD_CHARACTERS_MAX), offset)) ?? []
    const [after = ''] = /^\p{L}{1,40}/u.exec(page.slice(end, end + WORD_CHARACTERS_MAX)) ?? []
    if (CONJUNCTIONS.has(after)) return `${hyphen} `
    const isCompound = compounds.has(`${before}-${after}`.toLowerCase())
    return !isCompound && isOneWord(before, after) ? '' : hyphen
  })
}

/** Returns whether two parts around a hyphen form one word: both in lowercase, or both in capitals. */
function isOneWord(before: string, after: string): boolean {
  if (before.length < 2) return false
  if (/^\p{Lu}{2,}$/u.test(before)) return /^\p{Lu}{2,}$/u.test(after)
  return /[\p{Ll}\p{Lo}\p{M}]$/u.test(before) && /^[\p{Ll}\p{Lo}]/u.test(after)
}
