/** Characters of the Symbol font from 0x61: Greek letters in the order of the Latin keyboard. */
const GREEK_LOWER = 'αβχδεφγηιϕκλμνοπθρστυϖωξψζ'
const GREEK_UPPER = 'ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ'

const SYMBOL: Record<number, string> = {
  163: '≤',
  165: '∞',
  171: '↔',
  172: '←',
  173: '↑',
  174: '→',
  175: '↓',
  176: '°',
  177: '±',
  179: '≥',
  180: '×',
  182: '∂',
  183: '•',
  184: '÷',
  185: '≠',
  186: '≡',
  187: '≈',
  198: '∅',
  206: '∈',
  207: '∉',
  209: '∇',
  213: '∏',
  214: '√',
  215: '⋅',
  229: '∑',
  242: '∫',
}

const WINGDINGS: Record<number, string> = {
  40: '☎',
  42: '✉',
  74: '☺',
  108: '●',
  110: '■',
  111: '☐',
  113: '☐',
  118: '❖',
  167: '▪',
  168: '☐',
  216: '➢',
  223: '←',
  224: '→',
  225: '↑',
  226: '↓',
  240: '⇨',
  251: '✗',
  252: '✓',
  253: '☒',
  254: '☑',
}

const WINGDINGS_2: Record<number, string> = {
  79: '✗',
  80: '✓',
  81: '☒',
  82: '☑',
  83: '☒',
  84: '☒',
  163: '☐',
}

/**
 * Returns the character of a font without letters, such as Wingdings, as Unicode. `code` may lie in the private use area
 * (F000 to F0FF), where Word stores such characters. Returns '' if the character is unknown.
 */
export function symbolOf(font: string, code: number): string {
  const isPrivate = code >= 0xf000 && code <= 0xf0ff
  const at = isPrivate ? code - 0xf000 : code
  switch (font.trim().toLowerCase()) {
    case 'wingdings':
      return WINGDINGS[at] ?? ''
    case 'wingdings 2':
      return WINGDINGS_2[at] ?? ''
    case 'symbol': {
      const letter = at >= 0x61 ? GREEK_LOWER[at - 0x61] : at >= 0x41 ? GREEK_UPPER[at - 0x41] : undefined
      return (
        SYMBOL[at] ?? (at <= 0x7a && letter !== undefined ? letter : at < 0x7f ? String.fromCharCode(at) : '')
      )
    }
  }
  return isPrivate || !(code > 0x1f && code <= 0x10ffff) ? '' : String.fromCodePoint(code)
}
