import { lexer, type Token } from 'marked'

/** So far beyond an empty line the end of a formula is looked for. */
const FORMULA_CHARACTERS_MAX = 4_000

/** The blocks of a text, beside each other. Joined, their `raw` is the text. */
export function tokensOf(text: string): Token[] {
  try {
    // Of blanks at the end, marked makes something that is not in the text.
    return joinFormulas(placed(lexer(text.trimEnd()), text))
  } catch {
    // Nested so deep that the stack was not enough, or nowhere in the text: then it is one, so that nothing is lost.
    return [{ type: 'paragraph', raw: text, text }]
  }
}

/** Tokens with all of their text: marked drops blanks at the end of lists. Throws where that is not all. */
function placed(tokens: Token[], text: string): Token[] {
  const all: Token[] = []
  let end = 0
  for (const token of tokens) {
    const begin = text.indexOf(token.raw, end)
    const between = text.slice(end, begin)
    if (begin < 0 || between.trim() !== '') throw new Error('A token is nowhere')
    if (between !== '') all.push({ type: 'space', raw: between })
    all.push(token)
    end = begin + token.raw.length
  }
  const rest = text.slice(end)
  if (rest.trim() !== '') throw new Error('A token is missing')
  return rest === '' ? all : [...all, { type: 'space', raw: rest }]
}

/** A formula between lines of `$$` is one block, also where there are empty lines in it. */
function joinFormulas(tokens: Token[]): Token[] {
  const all: Token[] = []
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as Token
    let raw = token.raw
    let last = index
    if (token.type === 'paragraph')
      while (isOpenFormula(raw) && last + 1 < tokens.length && raw.length < FORMULA_CHARACTERS_MAX)
        raw += tokens[++last]?.raw
    // One that is too long to be looked through has no end.
    if (last === index || raw.length >= FORMULA_CHARACTERS_MAX) all.push(token)
    else {
      all.push({ type: 'paragraph', raw, text: raw })
      index = last
    }
  }
  return all
}

const isOpenFormula = (text: string): boolean => (text.match(/\$\$/g)?.length ?? 0) % 2 === 1

/** What the items of a list begin with, so that items of two lists are told apart; empty for what is no list. */
export function markerOf(token: Token): string {
  if (token.type !== 'list') return ''
  return /^ *(?:([-*+])|\d+([.)]))/.exec(token.raw)?.slice(1).find(Boolean) ?? ''
}

/** The header of a table with the line below it, and its rows, each with the end of its line. */
export function partsOfTable(raw: string): { head: string; rows: string[] } {
  const [header = '', below = '', ...rows] = linesOf(raw)
  return {
    head: header + (below.endsWith('\n') ? below : `${below}\n`),
    rows: rows.filter((row) => row !== '\n'),
  }
}

/** Each line with its end. */
export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Joins so many at a time; what is left over after that makes one too where it is said. */
export function piecesOf(texts: readonly string[], size: number, withRest = false): string[] {
  const pieces: string[] = []
  const end = withRest ? texts.length : texts.length - (texts.length % size)
  for (let index = 0; index < end; index += size) pieces.push(joined(texts.slice(index, index + size)))
  return pieces
}

export const joined = (texts: readonly string[]): string => texts.join('')
