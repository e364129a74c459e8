import { lexer, type Token } from 'marked'

/** The maximum length of a formula with blank lines. */
const FORMULA_CHARACTERS_MAX = 4_000

/** Returns the top-level blocks of a text. Their `raw` values add up to the text. */
export function tokensOf(text: string): Token[] {
  try {
    // For trailing blanks, marked returns tokens that are not in the text.
    return joinFormulas(placed(lexer(text.trimEnd()), text))
  } catch {
    // Nested too deep for the stack, or tokens that don't match the text. One paragraph keeps all of it.
    return [{ type: 'paragraph', raw: text, text }]
  }
}

/** Adds the blanks that marked drops after lists. Throws if any other text is missing. */
function placed(tokens: Token[], text: string): Token[] {
  const all: Token[] = []
  let end = 0
  for (const token of tokens) {
    const begin = text.indexOf(token.raw, end)
    const between = text.slice(end, begin)
    if (begin < 0 || between.trim() !== '') throw new Error('A token is not in the text')
    if (between !== '') all.push({ type: 'space', raw: between })
    all.push(token)
    end = begin + token.raw.length
  }
  const rest = text.slice(end)
  if (rest.trim() !== '') throw new Error('A token is missing')
  return rest === '' ? all : [...all, { type: 'space', raw: rest }]
}

/** Joins the blocks of a formula between `$$` lines, which may have blank lines in it. */
function joinFormulas(tokens: Token[]): Token[] {
  const all: Token[] = []
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as Token
    let raw = token.raw
    let last = index
    if (token.type === 'paragraph')
      while (isOpenFormula(raw) && last + 1 < tokens.length && raw.length < FORMULA_CHARACTERS_MAX)
        raw += tokens[++last]?.raw
    // Beyond the limit it isn't a formula.
    if (last === index || raw.length >= FORMULA_CHARACTERS_MAX) all.push(token)
    else {
      all.push({ type: 'paragraph', raw, text: raw })
      index = last
    }
  }
  return all
}

const isOpenFormula = (text: string): boolean => (text.match(/\$\$/g)?.length ?? 0) % 2 === 1

/** Returns the marker of a list (`-`, `.` …), which separates two lists in a row. Empty for other blocks. */
export function markerOf(token: Token): string {
  if (token.type !== 'list') return ''
  return /^ *(?:([-*+])|\d+([.)]))/.exec(token.raw)?.slice(1).find(Boolean) ?? ''
}

/** Splits a table into its head (header and delimiter row) and its rows, each with its line end. */
export function partsOfTable(raw: string): { head: string; rows: string[] } {
  const [header = '', below = '', ...rows] = linesOf(raw)
  return {
    head: header + (below.endsWith('\n') ? below : `${below}\n`),
    rows: rows.filter((row) => row !== '\n'),
  }
}

/** Returns the lines, each with its line end. */
export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Joins `size` texts at a time. `withRest` adds the remaining ones as a last piece. */
export function piecesOf(texts: readonly string[], size: number, withRest = false): string[] {
  const pieces: string[] = []
  const end = withRest ? texts.length : texts.length - (texts.length % size)
  for (let index = 0; index < end; index += size) pieces.push(joined(texts.slice(index, index + size)))
  return pieces
}

export const joined = (texts: readonly string[]): string => texts.join('')
