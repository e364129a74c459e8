/*
 * What models write for formulas is not what remark-math reads. Prices are no formulas: as in Pandoc's
 * `tex_math_dollars`, a dollar opens one only before a character and closes one only after a character and not before
 * a digit; and no formula begins with a number and then a word. LaTeX's \( \) and \[ \] are formulas too.
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
 * A block of Markdown as remark reads it: formulas between the dollars that it takes for them, and no footnotes, because
 * a note and its mark are in two blocks and neither would be shown.
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
