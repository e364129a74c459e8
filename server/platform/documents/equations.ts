import type { XmlAttributes } from './xml.ts'

/** An element of an equation that is not closed yet. `parts` are the texts of its children, by element. */
interface Node {
  name: string
  parts: { name: string; tex: string }[]
  /** Values of the properties, such as the character of a sum. */
  properties: Map<string, string>
}

/** Maximum length of one equation, in UTF-16 code units. The rest of a longer one is left out. */
const EQUATION_CHARACTERS_MAX = 20_000

const OPERATORS: Record<string, string> = {
  '∑': '\\sum',
  '∏': '\\prod',
  '∐': '\\coprod',
  '∫': '\\int',
  '∬': '\\iint',
  '∭': '\\iiint',
  '∮': '\\oint',
  '⋃': '\\bigcup',
  '⋂': '\\bigcap',
  '⋁': '\\bigvee',
  '⋀': '\\bigwedge',
}
const ACCENTS: Record<string, string> = {
  '\u0300': '\\grave',
  '\u0301': '\\acute',
  '\u0302': '\\hat',
  '\u0303': '\\tilde',
  '\u0304': '\\bar',
  '\u0305': '\\overline',
  '\u0306': '\\breve',
  '\u0307': '\\dot',
  '\u0308': '\\ddot',
  '\u030c': '\\check',
  '\u20d7': '\\vec',
  '→': '\\vec',
}
const FUNCTIONS = new Set(
  'sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan log ln exp lim max min sup inf det gcd deg'.split(
    ' ',
  ),
)

/** Converts a Word equation (Office MathML; ECMA-376, 22.1) to LaTeX, while its elements are read. */
export class EquationReader {
  readonly #open: Node[] = [{ name: 'm:oMath', parts: [], properties: new Map() }]
  #characters = 0
  #isText = false

  open(name: string, attributes: XmlAttributes): void {
    this.#isText = name === 'm:t' || name === 'w:t'
    const value = attributes.get('m:val') ?? attributes.get('val')
    // Properties are elements of an element such as m:naryPr, and belong to the equation around it.
    const owner = this.#open.findLast((node) => !node.name.endsWith('Pr'))
    if (owner !== undefined && this.#open.at(-1)?.name.endsWith('Pr'))
      owner.properties.set(name, value ?? '1')
    this.#open.push({ name, parts: [], properties: new Map() })
  }

  text(words: string): void {
    if (!this.#isText || this.#characters > EQUATION_CHARACTERS_MAX) return
    this.#characters += words.length
    this.#open.at(-1)?.parts.push({ name: 'text', tex: words })
  }

  close(): void {
    this.#isText = false
    const node = this.#open.pop()
    if (node !== undefined) this.#open.at(-1)?.parts.push({ name: node.name, tex: texOf(node) })
  }

  /** Returns the equation as LaTeX, in one line. */
  finish(): string {
    return (this.#open[0] as Node).parts
      .map(({ tex }) => tex)
      .join('')
      .replace(/\s+/g, ' ')
      .trim()
  }
}

/** Returns an index or an exponent, in braces unless it is one character. */
const script = (mark: string, tex: string): string =>
  tex === '' ? '' : /^[^\s\\]$/u.test(tex) ? `${mark}${tex}` : `${mark}{${tex}}`

/** Returns the base of a script, in braces if the script would otherwise belong to its last character only. */
const base = (tex: string): string => (/[\s+\-=]/.test(tex) && !/^[({[\\]/.test(tex) ? `{${tex}}` : tex)

function texOf({ name, parts, properties }: Node): string {
  const part = (wanted: string): string =>
    parts
      .filter((candidate) => candidate.name === wanted)
      .map(({ tex }) => tex.trim())
      .join('')
  const all = (): string => parts.map(({ tex }) => tex).join('')
  const e = part('m:e')
  switch (name) {
    case 'm:f':
      return properties.get('m:type') === 'lin'
        ? `${part('m:num')}/${part('m:den')}`
        : `\\frac{${part('m:num')}}{${part('m:den')}}`
    case 'm:rad':
      return part('m:deg') === '' ? `\\sqrt{${e}}` : `\\sqrt[${part('m:deg')}]{${e}}`
    case 'm:sSup':
      return `${base(e)}${script('^', part('m:sup'))}`
    case 'm:sSub':
      return `${base(e)}${script('_', part('m:sub'))}`
    case 'm:sSubSup':
      return `${base(e)}${script('_', part('m:sub'))}${script('^', part('m:sup'))}`
    case 'm:sPre':
      return `{}${script('_', part('m:sub'))}${script('^', part('m:sup'))}${e}`
    case 'm:nary': {
      const sign = properties.get('m:chr') ?? '∫'
      return `${OPERATORS[sign] ?? sign}${script('_', part('m:sub'))}${script('^', part('m:sup'))} ${e}`
    }
    case 'm:d':
      return delimited(parts, properties)
    case 'm:func':
      return `${functionName(part('m:fName'))} ${e}`
    case 'm:limLow':
      return `${functionName(e)}_{${part('m:lim')}}`
    case 'm:limUpp':
      return `${functionName(e)}^{${part('m:lim')}}`
    case 'm:acc':
      return `${ACCENTS[properties.get('m:chr') ?? '\u0302'] ?? '\\hat'}{${e}}`
    case 'm:bar':
      return `${properties.get('m:pos') === 'top' ? '\\overline' : '\\underline'}{${e}}`
    case 'm:groupChr':
      return properties.get('m:pos') === 'top' ? `\\overbrace{${e}}` : `\\underbrace{${e}}`
    case 'm:borderBox':
      return `\\boxed{${e}}`
    case 'm:m':
      return `\\begin{matrix}${rowsOf(parts, 'm:mr')}\\end{matrix}`
    case 'm:mr':
      return rowOf(parts)
    case 'm:eqArr':
      return `\\begin{aligned}${rowsOf(parts, 'm:e')}\\end{aligned}`
    case 'm:r':
      return all().replace(/[\\{}%$#_]/g, '\\$&')
    default:
      return all()
  }
}

const rowsOf = (parts: Node['parts'], name: string): string =>
  parts
    .filter((part) => part.name === name)
    .map(({ tex }) => tex.trim())
    .join(' \\\\ ')

const rowOf = (parts: Node['parts']): string =>
  parts
    .filter((part) => part.name === 'm:e')
    .map(({ tex }) => tex.trim())
    .join(' & ')

function delimited(parts: Node['parts'], properties: Map<string, string>): string {
  const inner = parts
    .filter((part) => part.name === 'm:e')
    .map(({ tex }) => tex)
    .join(properties.get('m:sepChr') ?? '|')
  // A bracket of the file is one character; a brace is a group in LaTeX.
  const bracket = (name: string, usual: string): string => {
    const sign = properties.get(name) ?? usual
    return /^[{}]$/.test(sign) ? `\\${sign}` : sign
  }
  return `${bracket('m:begChr', '(')}${inner}${bracket('m:endChr', ')')}`
}

const functionName = (tex: string): string => (FUNCTIONS.has(tex) ? `\\${tex}` : tex)
