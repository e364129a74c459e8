/** The attributes of an element, by name. Names in a known namespace have its usual prefix, such as `r:id`. */
export interface XmlAttributes {
  get(name: string): string | undefined
}

/** Receives an XML document in document order. An empty element is opened and closed. */
export interface XmlHandler {
  open(name: string, attributes: XmlAttributes): void
  close(name: string): void
  text(words: string): void
  /** True once the handler needs nothing more, so that the rest is not parsed. */
  readonly isDone?: boolean
}

/** XML that is not well-formed, or exceeds a limit. */
export class XmlError extends Error {
  override readonly name = 'XmlError'
}

/** Maximum length of a tag with its attributes, in UTF-16 code units. */
const TAG_CHARACTERS_MAX = 4_000_000
/** Maximum depth of nested elements. Word nests tables a few levels deep, with five elements a level. */
const DEPTH_MAX = 2_000
/** The code of a space. White space in tags has this code or a smaller one. */
const SPACE = 0x20
/** Maximum length of a character reference. */
const REFERENCE_CHARACTERS_MAX = 12

const OFFICE = 'http://schemas.openxmlformats.org'
const STRICT = 'http://purl.oclc.org/ooxml'
const MICROSOFT = 'http://schemas.microsoft.com/office'

/**
 * Prefixes of namespaces, so that readers do not depend on the prefixes of the file. Spreadsheets and relationships
 * have none, as in almost all files.
 */
const PREFIXES: Record<string, string> = {
  [`${OFFICE}/spreadsheetml/2006/main`]: '',
  [`${STRICT}/spreadsheetml/main`]: '',
  [`${OFFICE}/package/2006/relationships`]: '',
  [`${OFFICE}/officeDocument/2006/relationships`]: 'r',
  [`${STRICT}/officeDocument/relationships`]: 'r',
  [`${OFFICE}/wordprocessingml/2006/main`]: 'w',
  [`${STRICT}/wordprocessingml/main`]: 'w',
  [`${OFFICE}/presentationml/2006/main`]: 'p',
  [`${STRICT}/presentationml/main`]: 'p',
  [`${OFFICE}/drawingml/2006/main`]: 'a',
  [`${STRICT}/drawingml/main`]: 'a',
  [`${OFFICE}/drawingml/2006/chart`]: 'c',
  [`${STRICT}/drawingml/chart`]: 'c',
  [`${OFFICE}/drawingml/2006/diagram`]: 'dgm',
  [`${STRICT}/drawingml/diagram`]: 'dgm',
  [`${OFFICE}/drawingml/2006/wordprocessingDrawing`]: 'wp',
  [`${STRICT}/drawingml/wordprocessingDrawing`]: 'wp',
  [`${OFFICE}/drawingml/2006/spreadsheetDrawing`]: 'xdr',
  [`${STRICT}/drawingml/spreadsheetDrawing`]: 'xdr',
  [`${OFFICE}/officeDocument/2006/math`]: 'm',
  [`${STRICT}/officeDocument/math`]: 'm',
  [`${OFFICE}/markup-compatibility/2006`]: 'mc',
  [`${MICROSOFT}/word/2010/wordml`]: 'w14',
  [`${MICROSOFT}/word/2010/wordprocessingShape`]: 'wps',
  [`${MICROSOFT}/word/2006/wordml`]: 'w',
  'urn:schemas-microsoft-com:vml': 'v',
  'http://www.w3.org/1999/xlink': 'xlink',
  'http://www.w3.org/1998/Math/MathML': 'math',
  'http://www.idpf.org/2007/opf': 'opf',
  'http://purl.org/dc/elements/1.1/': 'dc',
  'urn:oasis:names:tc:opendocument:xmlns:container': '',
  'urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0': 'svg',
}

function prefixOf(uri: string, prefix: string): string {
  const known = PREFIXES[uri]
  if (known !== undefined) return known
  // urn:oasis:names:tc:opendocument:xmlns:text:1.0 has the prefix text.
  const [, part] = /^urn:oasis:names:tc:opendocument:xmlns:([\w-]+):1\.\d$/.exec(uri) ?? []
  return part ?? prefix
}

/** The namespace declarations that are in force, with the names that were resolved under them. */
interface Scope {
  prefixes: Map<string, string>
  elements: Map<string, string>
  attributes: Map<string, string>
}

const newScope = (prefixes: Map<string, string>): Scope => ({
  prefixes,
  elements: new Map(),
  attributes: new Map(),
})

interface OpenElement {
  raw: string
  name: string
  /** The scope outside of this element. Null if the element declares no namespace. */
  outer: Scope | null
}

/** A construct whose end is searched, across pieces if necessary. */
interface Skipped {
  end: string
  isText: boolean
}

const TAG = /[^>"']*(?:"[^"]*"[^>"']*|'[^']*'[^>"']*)*>/y
const ATTRIBUTE = /\s*([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y

/**
 * Parses XML (XML 1.0, Namespaces 1.0) piece by piece in time that grows with its length. Checks that elements are
 * closed in order. Skips document types: no entity is expanded except the predefined ones and numbers.
 */
export class XmlParser {
  readonly #handler: XmlHandler
  readonly #open: OpenElement[] = []
  #scope = newScope(new Map())
  #rest = ''
  #skipped: Skipped | null = null
  #hasRoot = false

  constructor(handler: XmlHandler) {
    this.#handler = handler
  }

  /** Parses the next piece. Throws an XmlError if the document is not well-formed. */
  write(piece: string): void {
    const text = this.#rest + piece
    let at = 0
    while (at < text.length && this.#handler.isDone !== true) {
      const next = this.#skipped === null ? this.#readAt(text, at) : this.#skip(text, at, this.#skipped)
      if (next < 0) break
      at = next
    }
    this.#rest = text.slice(at)
    if (this.#rest.length > TAG_CHARACTERS_MAX) throw new XmlError('A tag is too long')
  }

  /** Ends the document. Throws an XmlError if an element or tag is not closed, or if there is no element. */
  end(): void {
    if (this.#handler.isDone === true) return
    if (this.#open.length > 0 || !this.#hasRoot || this.#rest.trim() !== '')
      throw new XmlError('The document is not complete')
  }

  /** Reads the text or the construct at `at`. Returns its end, or -1 if it continues in the next piece. */
  #readAt(text: string, at: number): number {
    if (text[at] !== '<') {
      const found = text.indexOf('<', at)
      const end = found < 0 ? endOfText(text, at) : found
      if (end === at) return -1
      if (this.#open.length > 0) this.#handler.text(decodeReferences(text.slice(at, end)))
      return end
    }
    const mark = text[at + 1]
    if (mark === '!' || mark === '?') return this.#beginSkipped(text, at)
    if (mark === '/') {
      const end = text.indexOf('>', at)
      if (end >= 0) this.#close(text.slice(at + 2, end).trimEnd())
      return end < 0 ? -1 : end + 1
    }
    TAG.lastIndex = at + 1
    if (!TAG.test(text)) return -1
    this.#begin(text.slice(at + 1, TAG.lastIndex - 1))
    return TAG.lastIndex
  }

  #beginSkipped(text: string, at: number): number {
    const begin = (start: string, end: string, isText = false): number => {
      this.#skipped = { end, isText }
      return at + start.length
    }
    if (text.startsWith('<?', at)) return begin('<?', '?>')
    if (text.startsWith('<!--', at)) return begin('<!--', '-->')
    if (text.startsWith('<![CDATA[', at)) return begin('<![CDATA[', ']]>', true)
    if (text.length - at < '<![CDATA['.length) return -1
    if (!text.startsWith('<!DOCTYPE', at)) throw new XmlError('An unknown declaration')
    const end = text.indexOf('>', at)
    const subset = text.indexOf('[', at)
    if (end < 0 && subset < 0) return -1
    if (subset >= 0 && (end < 0 || subset < end)) {
      this.#skipped = { end: ']', isText: false }
      return subset + 1
    }
    return end + 1
  }

  #skip(text: string, at: number, { end, isText }: Skipped): number {
    const found = text.indexOf(end, at)
    const until = found < 0 ? Math.max(at, text.length - end.length + 1) : found
    if (isText && until > at && this.#open.length > 0) this.#handler.text(text.slice(at, until))
    if (found < 0) return until === at ? -1 : until
    this.#skipped = end === ']' ? { end: '>', isText: false } : null
    return found + end.length
  }

  #begin(tag: string): void {
    const isEmpty = tag.endsWith('/')
    const end = isEmpty ? tag.length - 1 : tag.length
    let space = 0
    while (space < end && tag.charCodeAt(space) > SPACE) space++
    const raw = tag.slice(0, space)
    const source = tag.slice(space, end)
    if (raw === '' || this.#open.length >= DEPTH_MAX)
      throw new XmlError('An element has no name, or is too deep')
    this.#hasRoot = true
    const outer = source.includes('xmlns') ? this.#declare(source) : null
    const name = resolve(this.#scope, raw)
    this.#handler.open(name, new Attributes(source, this.#scope))
    this.#open.push({ raw, name, outer })
    if (isEmpty) this.#close(raw)
  }

  #declare(source: string): Scope {
    const outer = this.#scope
    const prefixes = new Map(outer.prefixes)
    for (const [name, value] of attributesIn(source)) {
      if (name === 'xmlns') prefixes.set('', prefixOf(value, ''))
      else if (name.startsWith('xmlns:')) prefixes.set(name.slice(6), prefixOf(value, name.slice(6)))
    }
    this.#scope = newScope(prefixes)
    return outer
  }

  #close(raw: string): void {
    const element = this.#open.pop()
    if (element?.raw !== raw) throw new XmlError(`The end tag ${raw.slice(0, 100)} is out of place`)
    this.#handler.close(element.name)
    if (element.outer !== null) this.#scope = element.outer
  }
}

/** Returns the end of text whose last character reference may continue in the next piece. */
function endOfText(text: string, at: number): number {
  const reference = text.lastIndexOf('&')
  const isOpen =
    reference >= at && text.length - reference < REFERENCE_CHARACTERS_MAX && text.indexOf(';', reference) < 0
  return isOpen ? reference : text.length
}

function resolve(scope: Scope, raw: string): string {
  const known = scope.elements.get(raw)
  if (known !== undefined) return known
  const colon = raw.indexOf(':')
  const prefix = scope.prefixes.get(colon < 0 ? '' : raw.slice(0, colon))
  const name = prefix === undefined ? raw : join(prefix, raw.slice(colon + 1))
  scope.elements.set(raw, name)
  return name
}

/** Attributes without a prefix are in no namespace. */
function resolveAttribute(scope: Scope, raw: string): string {
  const colon = raw.indexOf(':')
  if (colon < 0) return raw
  const known = scope.attributes.get(raw)
  if (known !== undefined) return known
  const prefix = scope.prefixes.get(raw.slice(0, colon))
  const name = prefix === undefined ? raw : join(prefix, raw.slice(colon + 1))
  scope.attributes.set(raw, name)
  return name
}

const join = (prefix: string, local: string): string => (prefix === '' ? local : `${prefix}:${local}`)

/** Parses the attributes when the first one is requested, because most elements are read without them. */
class Attributes implements XmlAttributes {
  readonly #source: string
  readonly #scope: Scope
  /** Names and values in turn. */
  #parsed: string[] | null = null

  constructor(source: string, scope: Scope) {
    this.#source = source
    this.#scope = scope
  }

  get(name: string): string | undefined {
    if (this.#source === '') return undefined
    this.#parsed ??= this.#parse()
    for (let index = 0; index < this.#parsed.length; index += 2)
      if (this.#parsed[index] === name) return decodeReferences(this.#parsed[index + 1] as string)
    return undefined
  }

  #parse(): string[] {
    const source = this.#source
    const parsed: string[] = []
    ATTRIBUTE.lastIndex = 0
    for (let found = ATTRIBUTE.exec(source); found !== null; found = ATTRIBUTE.exec(source))
      parsed.push(resolveAttribute(this.#scope, found[1] as string), found[2] ?? found[3] ?? '')
    return parsed
  }
}

function* attributesIn(source: string): Generator<[name: string, value: string]> {
  for (let at = 0; ; ) {
    ATTRIBUTE.lastIndex = at
    const found = ATTRIBUTE.exec(source)
    if (found === null) return
    at = ATTRIBUTE.lastIndex
    yield [found[1] ?? '', found[2] ?? found[3] ?? '']
  }
}

const PREDEFINED: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Replaces character references and the predefined entities. Other entities stay as they are. */
function decodeReferences(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(
    /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));/gi,
    (whole, hex, decimal, name) => {
      if (name !== undefined) return PREDEFINED[name] ?? whole
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      return code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code)
    },
  )
}

/** Decodes a part of a file: UTF-8, UTF-16 with a byte order mark, or the encoding in the XML declaration. */
export function xmlDecoder(head: Buffer): InstanceType<typeof TextDecoder> {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder('utf-16le')
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder('utf-16be')
  const [, declared = 'utf-8'] =
    /^(?:\xef\xbb\xbf)?<\?xml[^>]{0,200}?encoding\s{0,20}=\s{0,20}["']([\w.:-]{1,40})["']/.exec(
      head.subarray(0, 400).toString('latin1'),
    ) ?? []
  try {
    return new TextDecoder(/^utf-?16/i.test(declared) ? 'utf-8' : declared)
  } catch {
    throw new XmlError(`The encoding ${declared} is unknown`)
  }
}

/** Refuses a part whose root is another element, such as the workbook of a spreadsheet. */
export function requireRoot(root: string, handler: XmlHandler): XmlHandler {
  let hasRoot = false
  return {
    get isDone() {
      return handler.isDone === true
    },
    open(name, attributes) {
      if (!hasRoot && name !== root) throw new XmlError(`The part is no ${root}`)
      hasRoot = true
      handler.open(name, attributes)
    },
    close: (name) => handler.close(name),
    text: (words) => handler.text(words),
  }
}
