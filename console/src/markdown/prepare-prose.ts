/*
 * Converts formulas to the notation of remark-math. Also recognizes LaTeX's \( \) and \[ \].
 *
 * Prices remain text. As in Pandoc's `tex_math_dollars`, a non-space character follows an opening dollar and precedes
 * a closing dollar, and no digit follows a closing dollar. In addition, a number followed by a word does not start a
 * formula.
 */

const PARTS = new RegExp(
  [
    /(`+)(?!`)[\s\S]*?[^`]\1(?!`)/, // code
    // A formula contains no other beginning. Otherwise, each beginning would search the rest of the text for an end.
    /\\\[(?:(?!\\\[)[\s\S])+?\\\]/,
    /\\\((?:(?!\\\()[\s\S])+?\\\)/,
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
 * Converts the formulas in a block of Markdown and escapes all other dollars. Also escapes footnote marks: a mark and
 * its note are in different blocks, so remark would render neither.
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
