/*
 * Runs in Deno. Reads the parameters of a JavaScript function from its source code. If the first parameter is a
 * destructured object, returns the property names and their literal defaults. Any other parameter list counts as
 * unknown.
 */

export interface Parameter {
  name: string
  type: 'str' | 'int' | 'float' | 'bool' | 'list' | 'dict' | null
  required: boolean
  default?: unknown
}

export interface Signature {
  parameters: Parameter[]
  takesAny: boolean
}

const PARAMETERS_MAX = 100
const UNKNOWN: Signature = { parameters: [], takesAny: true }

export function readParameters(functionText: string): Signature {
  const text = withoutComments(functionText)
  const open = text.indexOf('(')
  const arrow = text.indexOf('=>')
  // An arrow function such as `input => …` has no parentheses around its parameter.
  if (open < 0 || (arrow >= 0 && arrow < open)) return UNKNOWN
  const [first = ''] = splitAtCommas(insideOf(text, open))
  const pattern = first.trim()
  if (pattern === '') return { parameters: [], takesAny: false }
  if (!pattern.startsWith('{')) return UNKNOWN
  const items = splitAtCommas(insideOf(pattern, 0)).map((item) => item.trim())
  const parameters = items.filter((item) => item !== '' && !item.startsWith('...')).map(readItem)
  if (parameters.length > PARAMETERS_MAX || parameters.some((parameter) => parameter === null)) return UNKNOWN
  return { parameters: parameters as Parameter[], takesAny: items.some((item) => item.startsWith('...')) }
}

/**
 * Reads one item of a destructuring pattern: `name`, `name = 5`, `name: other` or `'name': other = 5`. Returns null
 * for any other form.
 */
function readItem(item: string): Parameter | null {
  const [, quoted, plain, rest = ''] =
    /^(?:(["'][^"'\\]*["'])|([\p{ID_Start}$_][\p{ID_Continue}$]*))(.*)$/su.exec(item) ?? []
  const name = quoted?.slice(1, -1) ?? plain
  if (name === undefined) return null
  const sign = firstAtTop(rest, '=')
  if (sign < 0) return { name, type: null, required: true }
  const value = plainValue(rest.slice(sign + 1).trim())
  if (value === undefined) return { name, type: null, required: false }
  return { name, type: typeOf(value), required: false, default: value }
}

function plainValue(text: string): unknown {
  const quoted = /^'([^'"\\\n]*)'$/.exec(text)
  if (quoted) return quoted[1]
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function typeOf(value: unknown): Parameter['type'] {
  if (typeof value === 'string') return 'str'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float'
  if (Array.isArray(value)) return 'list'
  return value === null ? null : 'dict'
}

/**
 * Returns the index of the quote that closes the string at `begin`. Treats `${}` in a template as part of the string.
 */
function endOfString(text: string, begin: number): number {
  for (let at = begin + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === text[begin]) return at
  }
  return text.length
}

function withoutComments(text: string): string {
  let code = ''
  for (let at = 0; at < text.length; at++) {
    const end = commentEnd(text, at)
    if (end > at) {
      at = end - 1
      code += ' '
    } else if (`'"\``.includes(text[at] as string)) {
      const last = endOfString(text, at)
      code += text.slice(at, last + 1)
      at = last
    } else code += text[at]
  }
  return code
}

function commentEnd(text: string, at: number): number {
  const close = text.startsWith('//', at) ? '\n' : text.startsWith('/*', at) ? '*/' : null
  if (close === null) return at
  const end = text.indexOf(close, at + 2)
  return end < 0 ? text.length : end + close.length
}

/** Calls `visit` with each position outside brackets and strings, until `visit` returns true. */
function walkTop(text: string, begin: number, visit: (at: number) => boolean): void {
  let depth = 0
  for (let at = begin; at < text.length; at++) {
    const character = text[at] as string
    if (`'"\``.includes(character)) at = endOfString(text, at)
    else if (')]}'.includes(character) && --depth < 0) return
    else if (depth === 0 && visit(at)) return
    if ('([{'.includes(character)) depth++
  }
}

/** Returns the source code between the bracket at `open` and the matching closing bracket. */
function insideOf(text: string, open: number): string {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    const character = text[at] as string
    if (`'"\``.includes(character)) at = endOfString(text, at)
    else if ('([{'.includes(character)) depth++
    else if (')]}'.includes(character) && --depth === 0) return text.slice(open + 1, at)
  }
  return text.slice(open + 1)
}

function splitAtCommas(text: string): string[] {
  const pieces: string[] = []
  let begin = 0
  walkTop(text, 0, (at) => {
    if (text[at] === ',') {
      pieces.push(text.slice(begin, at))
      begin = at + 1
    }
    return false
  })
  return [...pieces, text.slice(begin)]
}

function firstAtTop(text: string, character: string): number {
  let found = -1
  walkTop(text, 0, (at) => {
    if (text[at] !== character || text[at + 1] === '>') return false
    found = at
    return true
  })
  return found
}
