/** Maximum characters of a meta element that are read. */
const META_CHARACTERS_MAX = 2_000
/** Elements whose content is not markup. */
const RAW_ELEMENT = /^(script|style|title|textarea|xmp|iframe)[\s/>]/

/**
 * Decodes a page. The encoding comes from the byte order mark, the Content-Type header, the page's meta elements or its
 * XML declaration, in this order. Without any of these, the page is decoded as UTF-8 if valid, and otherwise as
 * Windows-1252 (HTML, "determining the character encoding"). Invalid bytes become U+FFFD.
 *
 * Differs from the standard where servers are often wrong: if the bytes are invalid in a declared encoding, the declared
 * encoding with the fewest invalid bytes is used. A page is not Latin-1 if it declares another encoding, or if it is
 * valid UTF-8. A meta element counts anywhere in the head.
 */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const marked = decoderOf(markOf(bytes))
  if (marked) return marked.decode(bytes)
  const [, fromServer = ''] = /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType) ?? []
  const declared = [decoderOf(fromServer), decoderOf(asAscii(declaredIn(bytes)))].filter(
    (one) => one !== null,
  )
  const isLatin = ({ encoding }: Decoder): boolean => encoding === 'windows-1252'
  const ranked = [...declared.filter((one) => !isLatin(one)), ...declared.filter(isLatin)]
  let best: { text: string; invalid: number } | undefined
  for (const decoder of ranked) {
    const utf8 = SINGLE_BYTE.test(decoder.encoding) ? decodeUtf8(bytes) : null
    if (utf8 !== null) return utf8
    const text = decoder.decode(bytes)
    const invalid = countInvalid(text)
    if (invalid === 0) return text
    if (!best || invalid < best.invalid) best = { text, invalid }
  }
  return best?.text ?? decodeUtf8(bytes) ?? new TextDecoder('windows-1252').decode(bytes)
}

type Decoder = InstanceType<typeof TextDecoder>

/** Encodings in which any bytes are valid, or nearly any, so that a wrong declaration shows no error. */
const SINGLE_BYTE = /^(?:windows-|iso-8859-|koi8-|ibm866|macintosh|x-mac-)/

/** Returns null if the bytes are not UTF-8. */
function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

function countInvalid(text: string): number {
  let count = 0
  for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', at + 1)) count++
  return count
}

/** Returns the encoding of the byte order mark, or of a UTF-16 page without one, which begins with `<`. */
function markOf(bytes: Uint8Array): string {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le'
  return (first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c) ? 'utf-16be' : ''
}

/** Returns the encoding that a page's first meta element with an encoding declares, or its XML declaration. */
function declaredIn(bytes: Uint8Array): string {
  const page = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1').toLowerCase()
  let end = 0
  for (let at = page.indexOf('<'); at >= 0; at = page.indexOf('<', end)) {
    end = at + 1
    if (page.startsWith('!--', end)) end = page.indexOf('-->', end + 1)
    else if (page.startsWith('body', end) || page.startsWith('/head>', end)) break
    else if (/^meta[\s/]/.test(page.slice(end, end + 5))) {
      const encoding = encodingIn(page.slice(end, end + META_CHARACTERS_MAX))
      if (encoding !== '') return encoding
    } else {
      const [, name] = RAW_ELEMENT.exec(page.slice(end, end + 10)) ?? []
      if (name !== undefined) end = page.indexOf(`</${name}`, end)
    }
    if (end < 0) break
  }
  const [, fromXml = ''] =
    /^<\?xml[^<>]{0,200}?\sencoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})["']/.exec(
      page.trimStart().slice(0, 300),
    ) ?? []
  return fromXml
}

/** Matches an attribute of a meta element, or the end of the element. */
const META_ATTRIBUTE =
  /([^\s=/>"']{1,40})\s{0,9}=\s{0,9}(?:"([^"]{0,500})"|'([^']{0,500})'|([^\s>"']{1,500}))|>/g

/** Returns the encoding of a lowercase meta element, or '' if it declares none. */
function encodingIn(meta: string): string {
  const attributes = new Map<string, string>()
  for (const [whole, name = '', double, single, plain] of meta.matchAll(META_ATTRIBUTE)) {
    if (whole === '>') break
    if (!attributes.has(name)) attributes.set(name, (double ?? single ?? plain ?? '').trim())
  }
  const own = attributes.get('charset')
  if (own !== undefined || attributes.get('http-equiv') !== 'content-type') return own ?? ''
  const [, encoding = ''] =
    /charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/.exec(attributes.get('content') ?? '') ?? []
  return encoding
}

/** Replaces UTF-16 with UTF-8. A page whose meta element is readable as ASCII cannot be UTF-16. */
const asAscii = (label: string): string => (/^utf-?16/i.test(label) ? 'utf-8' : label)

function decoderOf(label: string): Decoder | null {
  try {
    return label === '' ? null : new TextDecoder(label)
  } catch {
    return null
  }
}
