/**
 * Thrown if a listing is not XML, or uses XML features that a plain listing doesn't need. The message completes the
 * sentence of the error bucket.list_unreadable.
 */
export class XmlError extends Error {
  override readonly name = 'XmlError'
}

export interface XmlElement {
  /** Path of element names: `ListBucketResult/Contents/Key`. */
  path: string
  /** Text content of the element. '' for an element with child elements. */
  text: string
}

const DEPTH_MAX = 8
/** Maximum number of elements: enough for a thousand entries of thirty elements, with the elements around them. */
const ELEMENTS_MAX = 30_100
/** Maximum characters of an element's text: enough for a thousand bytes, each written as an entity. */
const TEXT_CHARACTERS_MAX = 10_000

/**
 * Yields the elements of a document, each at its end tag. Written by hand so that every character is read only once,
 * in linear time. Declarations are not supported, so an entity always stands for a single character. Throws an
 * XmlError for invalid XML, comments and CDATA.
 */
export function* readElements(xml: string): Generator<XmlElement> {
  const open: string[] = []
  let text: string | null = null
  let elements = 0
  let at = xml.indexOf('<')
  if (at < 0 || !isBlank(xml.slice(0, at)) || xml.includes('\0')) throw new XmlError('it is not XML')
  while (at >= 0) {
    const end = xml.indexOf('>', at)
    if (end < 0) throw new XmlError('it is incomplete')
    const next = xml.indexOf('<', end)
    const following = xml.slice(end + 1, next < 0 ? xml.length : next)
    const tag = readTag(xml.slice(at + 1, end))
    at = next
    if (tag.kind === 'declaration' && elements > 0) throw new XmlError('it is not XML')
    if (tag.kind === 'begin' || tag.kind === 'empty') {
      if (elements > 0 && open.length === 0) throw new XmlError('it contains more than one document')
      if (open.length === DEPTH_MAX) throw new XmlError('it is nested too deeply')
      if (++elements > ELEMENTS_MAX) throw new XmlError('it contains too many elements')
      open.push(tag.name)
      text = tag.kind === 'empty' ? '' : following
    }
    if (tag.kind === 'end' || tag.kind === 'empty') {
      const path = open.join('/')
      if (open.pop() !== tag.name) throw new XmlError('its opening and closing tags do not match')
      yield { path, text: decodeText(text ?? '') }
      text = null
    }
    if (open.length === 0 && !isBlank(following)) throw new XmlError('it is not XML')
  }
  if (open.length > 0 || elements === 0) throw new XmlError('it is incomplete')
}

const isBlank = (text: string): boolean => text.trim() === ''

function readTag(tag: string): { kind: 'declaration' | 'begin' | 'end' | 'empty'; name: string } {
  if (tag.startsWith('?')) return { kind: 'declaration', name: '' }
  const [, slash, name = ''] = /^(\/?)([A-Za-z_][\w:.-]*)(?=[\s/]|$)/.exec(tag) ?? []
  if (name === '') throw new XmlError('it contains unsupported XML')
  if (slash) return { kind: 'end', name }
  return { kind: tag.endsWith('/') ? 'empty' : 'begin', name }
}

const ENTITIES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

function decodeText(text: string): string {
  if (text.length > TEXT_CHARACTERS_MAX) throw new XmlError('it contains a text that is too long')
  const [first = '', ...pieces] = text.split('&')
  let decoded = first
  for (const piece of pieces) {
    const end = piece.indexOf(';')
    const character = end < 0 ? undefined : characterOf(piece.slice(0, end))
    if (character === undefined) throw new XmlError('it contains an unknown entity')
    decoded += character + piece.slice(end + 1)
  }
  return decoded
}

function characterOf(entity: string): string | undefined {
  const named = ENTITIES.get(entity)
  if (named !== undefined || !/^#(\d{1,7}|x[\dA-Fa-f]{1,6})$/.test(entity)) return named
  const code = entity[1] === 'x' ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1))
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : undefined
}
