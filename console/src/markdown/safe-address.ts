const LINK_PROTOCOLS = ['https:', 'http:', 'mailto:']
const IMAGE_DATA = /^data:image\/(?:png|jpeg|webp|gif)[;,]/i
/** Stands for the page's own origin, to find out whether an address is on the same server. */
const HERE = 'https://here.invalid'

/** Returns the target of a link. Null unless it is http, https, mailto or a path on this server. */
export function linkTarget(address: string): string | null {
  const url = parse(address)
  if (url === null || !LINK_PROTOCOLS.includes(url.protocol)) return null
  if (url.origin !== HERE) return url.href
  return isPath(address) ? address : null
}

/** Reports whether an image may load. Another server would learn of the request and everything in its URL. */
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
