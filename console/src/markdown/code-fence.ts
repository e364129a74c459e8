/** The opening line of a fenced code block (CommonMark 0.31, 4.5). */
export interface Fence {
  indent: number
  /** The fence characters. The closing fence consists of at least as many of the same character. */
  marks: string
  language: string
  /** The length of the line, including its line end. */
  length: number
}

const OPENING = /^( {0,3})(`{3,}(?=[^`\n]*\n)|~{3,}(?!~))([^\n]*)\n/

/** Parses the opening fence at the start of a string. Returns null if there is no fence or its line is incomplete. */
export function fenceOf(text: string): Fence | null {
  const match = OPENING.exec(text)
  if (!match) return null
  const [line, indent = '', marks = '', info = ''] = match
  return { indent: indent.length, marks, language: languageOf(info), length: line.length }
}

export const languageOf = (info: string): string => info.trim().split(/\s/, 1)[0] ?? ''

export function isClosing(line: string, { marks }: Fence): boolean {
  const bare = line.trim()
  return bare.length >= marks.length && isOf(bare, marks) && line.search(/\S/) <= 3
}

/** Returns whether an incomplete line can still become the closing fence. */
export const mayClose = (line: string, { marks }: Fence): boolean => isOf(line.trim(), marks)

const isOf = (bare: string, marks: string): boolean =>
  bare !== '' && bare === (marks[0] ?? '').repeat(bare.length)

/** Removes leading spaces from a line of code, up to the indent of the opening fence. */
export const withoutIndent = (line: string, { indent }: Fence): string => {
  let spaces = 0
  while (spaces < indent && line[spaces] === ' ') spaces += 1
  return spaces === 0 ? line : line.slice(spaces)
}
