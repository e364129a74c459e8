import { LEVELS_MAX, type Level } from './numbering.ts'
import type { XmlAttributes } from './xml.ts'

const FORMATS: Record<string, string> = {
  '1': 'decimal',
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
  '': 'none',
}
/** Key of the numbering of headings. */
export const OUTLINE = '\0outline'

/** The list styles, hidden text styles and percentages of an OpenDocument file, read as their elements pass by. */
export class OdfStyles {
  readonly lists = new Map<string, Level[]>()
  readonly hidden = new Set<string>()
  #style = ''
  #list: Level[] | null = null

  open(name: string, attributes: XmlAttributes): void {
    switch (name) {
      case 'style:style':
        this.#style = attributes.get('style:name') ?? ''
        return
      case 'style:text-properties':
        if (attributes.get('text:display') === 'none') this.hidden.add(this.#style)
        return
      case 'text:list-style':
        this.#list = []
        this.lists.set(attributes.get('style:name') ?? '', this.#list)
        return
      case 'text:outline-style':
        this.#list = []
        this.lists.set(OUTLINE, this.#list)
        return
      case 'text:list-level-style-number':
      case 'text:outline-level-style':
      case 'text:list-level-style-bullet':
      case 'text:list-level-style-image':
        this.#addLevel(attributes, name.endsWith('bullet') || name.endsWith('image'))
    }
  }

  close(name: string): void {
    if (name === 'text:list-style' || name === 'text:outline-style') this.#list = null
  }

  #addLevel(attributes: XmlAttributes, isBullet: boolean): void {
    const depth = Math.min(LEVELS_MAX, Number(attributes.get('text:level')) || 1) - 1
    if (this.#list === null) return
    const format = isBullet ? 'bullet' : (FORMATS[attributes.get('style:num-format') ?? ''] ?? 'decimal')
    const shown = Math.min(depth + 1, Math.max(1, Number(attributes.get('text:display-levels')) || 1))
    const numbers = Array.from({ length: shown }, (_, index) => `%${depth + 2 - shown + index}`)
    const text =
      format === 'none'
        ? ''
        : `${attributes.get('style:num-prefix') ?? ''}${numbers.join('.')}${attributes.get('style:num-suffix') ?? ''}`
    const start = Number(attributes.get('text:start-value') ?? 1)
    this.#list[depth] = { start, format, text, restart: depth, isLegal: false, style: '' }
  }
}
