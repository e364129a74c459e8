const LINK_PROTOCOLS = ['https:', 'http:', 'mailto:']
const IMAGE_DATA = /^data:image\/(?:png|jpeg|webp|gif)[;,]/i
/** Stands for the page's own address: what leads there from a path is on the same server. */
const HERE = 'https://here.invalid'

/** Where a link leads, as it is shown; null for what is no address of the web, a letter, or a path here (`javascript:`, `data:`, …). */
export function linkTarget(address: string): string | null {
  const url = parse(address)
  if (url === null || !LINK_PROTOCOLS.includes(url.protocol)) return null
  if (url.origin !== HERE) return url.href
  return isPath(address) ? address : null
}

/** Whether an image may be loaded: another server would learn that, and whatever its address carries. */
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
