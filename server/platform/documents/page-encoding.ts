/** Number of bytes in which a page may declare its encoding (HTML, "prescan a byte stream"). */
const META_BYTES = 1024

/**
 * Decodes a page. The encoding comes from the byte order mark, the Content-Type header or the page's meta element, in
 * this order. Without any of these, the page is decoded as UTF-8 if valid, and otherwise as Windows-1252 (HTML,
 * "determining the character encoding"). Invalid bytes become U+FFFD.
 */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const [, fromServer = ''] = /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType) ?? []
  const head = Buffer.from(bytes.subarray(0, META_BYTES)).toString('latin1')
  const [, fromPage = ''] = /<meta[^>]+charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head) ?? []
  const decoder = decoderOf(markOf(bytes)) ?? decoderOf(fromServer) ?? decoderOf(asAscii(fromPage))
  if (decoder) return decoder.decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

function markOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : ''
}

/** Replaces UTF-16 with UTF-8. A page whose meta element is readable as ASCII cannot be UTF-16. */
const asAscii = (label: string): string => (/^utf-?16/i.test(label) ? 'utf-8' : label)

function decoderOf(label: string): InstanceType<typeof TextDecoder> | null {
  try {
    return label === '' ? null : new TextDecoder(label)
  } catch {
    return null
  }
}
