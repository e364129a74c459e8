/*
 * Translates the formulas that models write into the notation of remark-math. LaTeX's \( \) and \[ \] are formulas too.
 * Prices stay text, by the rules of Pandoc's `tex_math_dollars`: an opening dollar has a non-space character after it,
 * and a closing dollar has one before it and no digit after it. In addition, a number and a word never start a formula.
 */

const PARTS = new RegExp(
  [
    /(`+)(?!`)[\s\S]*?[^`]\1(?!`)/, // code
    /\\\[[\s\S]+?\\\]/,
    /\\\([\s\S]+?\\\)/,
    /\\[\s\S]/,
    /\$\$[\s\S]+?\$\$/,
    /\$(?![\s$])(?!\d[\d.,]*\s+[a-z]{2})(?:[^$\\\n]|\\.)*?(?<!\s)\$(?!\d)/,
    /\$+/,
    /\[\^/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
)

/**
 * Returns a block of Markdown with formulas in dollars and other dollars escaped. Escapes footnote marks too: the mark
 * and its note are in different blocks, so remark would show neither.
 */
export const prepareProse = (text: string): string =>
  /[$\\]|\[\^/.test(text) ? text.replace(PARTS, prepared) : text

function prepared(part: string): string {
  if (part.startsWith('\\[')) return `$$${onOneLine(part)}$$`
  if (part.startsWith('\\(')) return `$${onOneLine(part)}$`
  if (part === '[^') return '\\[^'
  return /^\$+$/.test(part) ? part.replaceAll('$', '\\$') : part
}

const onOneLine = (formula: string): string =>
  formula
    .slice(2, -2)
    .trim()
    .replace(/\s*\n\s*/g, ' ')

export const hasFormula = (prose: string): boolean => /(?<!\\)\$/.test(prose)
