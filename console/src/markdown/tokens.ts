import { Lexer, type Token } from 'marked'

/** The maximum length of a formula that contains blank lines. */
const FORMULA_CHARACTERS_MAX = 4_000

/** Returns the top-level tokens of a Markdown string. Concatenating their `raw` values yields the string. */
export function tokensOf(text: string): Token[] {
  try {
    // Trailing whitespace makes marked return tokens that are not in the source, so remove it before parsing.
    // Only blocks are read here: marked takes quadratic time for some runs of marks inside of them.
    return joinFormulas(placed(new Lexer().blockTokens(text.trimEnd(), []), text))
  } catch {
    // The source is nested too deeply, or marked's tokens do not match it. Return all of it as one paragraph.
    return [{ type: 'paragraph', raw: text, text }]
  }
}

/** Adds tokens for the whitespace that marked drops after lists. Throws if any other characters are missing. */
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

/** Joins the tokens of a formula enclosed in `$$`. Blank lines in the formula split it into several tokens. */
function joinFormulas(tokens: Token[]): Token[] {
  const all: Token[] = []
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as Token
    let raw = token.raw
    let last = index
    if (token.type === 'paragraph')
      while (isOpenFormula(raw) && last + 1 < tokens.length && raw.length < FORMULA_CHARACTERS_MAX)
        raw += tokens[++last]?.raw
    // Above the maximum length, treat the tokens as ordinary text.
    if (last === index || raw.length >= FORMULA_CHARACTERS_MAX) all.push(token)
    else {
      all.push({ type: 'paragraph', raw, text: raw })
      index = last
    }
  }
  return all
}

const isOpenFormula = (text: string): boolean => (text.match(/\$\$/g)?.length ?? 0) % 2 === 1

/**
 * Returns the marker of a list (such as `-` or `.`), or '' for any other token. Adjacent lists have different
 * markers.
 */
export function markerOf(token: Token): string {
  if (token.type !== 'list') return ''
  return /^ *(?:([-*+])|\d+([.)]))/.exec(token.raw)?.slice(1).find(Boolean) ?? ''
}

/**
 * Splits a table into its head (the header and delimiter rows) and its other rows. Each row includes its line end.
 */
export function partsOfTable(raw: string): { head: string; rows: string[] } {
  const [header = '', below = '', ...rows] = linesOf(raw)
  return {
    head: header + (below.endsWith('\n') ? below : `${below}\n`),
    rows: rows.filter((row) => row !== '\n'),
  }
}

/** Splits a string into lines. Each line includes its line end. */
export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/**
 * Joins strings in groups of `size`. If `withRest` is true, joins the remaining strings as a shorter last group;
 * otherwise drops them.
 */
export function piecesOf(texts: readonly string[], size: number, withRest = false): string[] {
  const pieces: string[] = []
  const end = withRest ? texts.length : texts.length - (texts.length % size)
  for (let index = 0; index < end; index += size) pieces.push(joined(texts.slice(index, index + size)))
  return pieces
}

export const joined = (texts: readonly string[]): string => texts.join('')
