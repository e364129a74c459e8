/** Maximum characters of a location as written, with entities and sections. A longer one is ignored. */
const LOCATION_CHARACTERS_MAX = 10_000
/** Maximum characters in which a tag's name ends. */
const NAME_CHARACTERS_MAX = 250
const NAME = /^(?:[\w.-]{1,100}:)?[\w.-]{1,100}(?=[\s/>])/

export interface Sitemap {
  /** True if the locations are sitemaps and not pages. */
  isIndex: boolean
  locations: Iterable<string>
}

/**
 * Parses a sitemap in XML or as a list of URLs (sitemaps.org, protocol 0.9). A location counts in the namespace of the
 * root element, whatever its prefix, so that those of images and videos do not. Written by hand so that every character
 * is read only once, whatever the file contains.
 */
export function parseSitemap(text: string): Sitemap {
  if (!text.includes('<')) return { isIndex: false, locations: linesOf(text) }
  const [, prefix = '', name = ''] = /^([^:]*:)?(.*)/.exec(nextTag(text, 0)?.name ?? '') ?? []
  return { isIndex: name === 'sitemapindex', locations: locationsOf(text, `${prefix}loc`) }
}

function* linesOf(text: string): Generator<string> {
  for (const line of text.split(/[\r\n]/)) if (/^https?:/i.test(line.trim())) yield line.trim()
}

function* locationsOf(xml: string, name: string): Generator<string> {
  for (let tag = nextTag(xml, 0); tag; ) {
    const content = tag.name === name && !tag.isEmpty ? contentAt(xml, tag.end) : null
    if (content && content.text.length <= LOCATION_CHARACTERS_MAX) yield content.text.trim()
    tag = nextTag(xml, content?.end ?? tag.end)
  }
}

interface Tag {
  /** The name with its prefix. */
  name: string
  isEmpty: boolean
  end: number
}

/** Returns the next opening tag. Skips closing tags, comments, sections and instructions. */
function nextTag(xml: string, from: number): Tag | null {
  for (let at = xml.indexOf('<', from); at >= 0; at = xml.indexOf('<', at)) {
    const [opening, closing] = CLOSINGS.find(([start]) => xml.startsWith(start, at)) ?? ['<', '>']
    const last = xml.indexOf(closing, at + opening.length)
    if (last < 0) return null
    const end = last + closing.length
    const name = NAME.exec(xml.slice(at + 1, Math.min(end, at + NAME_CHARACTERS_MAX)))?.[0]
    if (name !== undefined) return { name, isEmpty: xml[last - 1] === '/', end }
    at = end
  }
  return null
}

const CLOSINGS = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const

/** Returns the text after a tag up to the next tag: with the content of sections, without comments. */
function contentAt(xml: string, from: number): { text: string; end: number } {
  let text = ''
  for (let at = from; ; ) {
    const next = xml.indexOf('<', at)
    if (next < 0) return { text: '', end: xml.length }
    text += decodeEntities(xml.slice(at, next))
    const [opening, closing] = CLOSINGS.find(([start]) => xml.startsWith(start, next)) ?? []
    if (opening === undefined || closing === undefined) return { text, end: next }
    const end = xml.indexOf(closing, next + opening.length)
    if (end < 0) return { text: '', end: xml.length }
    if (opening === '<![CDATA[') text += xml.slice(next + opening.length, end)
    at = end + closing.length
  }
}

const ENTITY = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#[xX]([\da-fA-F]{1,6}));/g
const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const decodeEntities = (text: string): string =>
  text.replace(
    ENTITY,
    (whole, name: string | undefined, decimal: string | undefined, hex: string | undefined) => {
      if (name !== undefined) return NAMED[name] ?? whole
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
    },
  )
