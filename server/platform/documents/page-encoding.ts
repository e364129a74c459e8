/** How far into a page its encoding is looked for (HTML, prescan a byte stream). */
const META_BYTES = 1024

/**
 * A page's text, in the encoding that its mark tells, else the server, else the page itself; else UTF-8 where it is
 * that, and Windows-1252 (HTML, "determining the character encoding"). What is no character becomes U+FFFD.
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

/** A page in which the word could be read is not in UTF-16, whatever it says. */
const asAscii = (label: string): string => (/^utf-?16/i.test(label) ? 'utf-8' : label)

function decoderOf(label: string): InstanceType<typeof TextDecoder> | null {
  try {
    return label === '' ? null : new TextDecoder(label)
  } catch {
    return null
  }
}
