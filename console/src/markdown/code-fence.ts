/** The line that begins a block of code (CommonMark 0.31, 4.5). */
export interface Fence {
  indent: number
  /** The same characters, or more of them, end it. */
  marks: string
  language: string
  /** The length of the line, with its end. */
  length: number
}

const OPENING = /^( {0,3})(`{3,}(?=[^`\n]*\n)|~{3,})([^\n]*)\n/

/** The fence that a text begins with; null where it begins with something else, or its line is not complete. */
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

/** Whether a line that is not complete may become the end of the code. */
export const mayClose = (line: string, { marks }: Fence): boolean => isOf(line.trim(), marks)

const isOf = (bare: string, marks: string): boolean =>
  bare !== '' && bare === (marks[0] ?? '').repeat(bare.length)

/** A line of the code, as far less indented as its fence is. */
export const withoutIndent = (line: string, { indent }: Fence): string => {
  let spaces = 0
  while (spaces < indent && line[spaces] === ' ') spaces += 1
  return spaces === 0 ? line : line.slice(spaces)
}
