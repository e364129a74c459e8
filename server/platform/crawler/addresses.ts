/** @limit URL of a page (longer ones are skipped) */
export const URL_CHARACTERS_MAX = 2_000

/** Query parameters that only identify where a visitor came from. */
const TRACKING = new Set(
  `_ga _gl dclid fbclid gbraid gclid gclsrc igshid li_fat_id mc_cid mc_eid msclkid mkt_tok ref_src twclid wbraid yclid
  _hsenc _hsmi`.split(/\s+/),
)

/** Returns a page's URL without fragment and tracking parameters. Returns null if the URL cannot be a page's URL. */
export function canonicalUrl(address: string, base?: string): string | null {
  const url = URL.parse(address, base)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return null
  url.hash = ''
  const names = [...url.searchParams.keys()].filter(isTracking)
  for (const name of names) url.searchParams.delete(name)
  return url.href.length > URL_CHARACTERS_MAX ? null : url.href
}

const isTracking = (name: string): boolean =>
  name.toLowerCase().startsWith('utm_') || TRACKING.has(name.toLowerCase())

/** Returns a key that is equal for URLs of the same page: the URL without scheme, www. and a trailing slash. */
export function pageKey(address: string): string {
  const { pathname, search } = new URL(address)
  return `${siteOf(address)}${pathname.replace(/\/$/, '')}${search}`
}

/** Returns the website of a URL: the host and port, without www. */
export const siteOf = (address: string): string => new URL(address).host.replace(/^www\./, '')
