const LINK_PROTOCOLS = ['https:', 'http:', 'mailto:']
const IMAGE_DATA = /^data:image\/(?:png|jpeg|webp|gif)[;,]/i
/** A placeholder for the page's origin. A URL with this origin is on the same server. */
const HERE = 'https://here.invalid'

/**
 * Returns the URL for a link. Returns null unless the URL is http, https, mailto or an absolute path on this server.
 */
export function linkTarget(address: string): string | null {
  const url = parse(address)
  if (url === null || !LINK_PROTOCOLS.includes(url.protocol)) return null
  if (url.origin !== HERE) return url.href
  return isPath(address) ? address : null
}

/**
 * Returns whether an image may load. An image on another server would send the URL, and all data in it, to that
 * server.
 */
export function isOwnImage(address: string): boolean {
  const url = parse(address)
  if (url === null) return false
  if (url.protocol === 'data:') return IMAGE_DATA.test(address)
  return url.protocol === 'blob:' || (url.origin === HERE && isPath(address))
}

const isPath = (address: string): boolean => address.startsWith('/')

function parse(address: string): URL | null {
  try {
    return new URL(address, HERE)
  } catch {
    return null
  }
}
