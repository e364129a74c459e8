import type { PageElement } from './page-to-markdown.ts'

/** Maximum characters of a refresh that are read. */
const REFRESH_CHARACTERS_MAX = 4_000
/** A page that is shown for longer may be content of its own, such as a slide. */
const REDIRECT_SECONDS_MAX = 10

/** A page's order to go to another URL after some seconds. */
export interface Refresh {
  /** Absolute http or https URL. */
  url: string
  /** False if a reader sees the page before, or only a reader without scripts goes there. */
  isRedirect: boolean
}

/**
 * Reads the value of a refresh, as in a meta element or the Refresh header: `0; url=/next` (HTML, "shared declarative
 * refresh steps"). Returns null if it leads to no other URL.
 */
export function readRefresh(value: string, base: string): Refresh | null {
  const text = value.slice(0, REFRESH_CHARACTERS_MAX).trim()
  const seconds = /^[\d.]{1,20}/.exec(text)?.[0]
  if (seconds === undefined) return null
  const rest = text.slice(seconds.length)
  if (!/^[\s;,]/.test(rest)) return null
  const target = rest.replace(/^[\s;,]{1,20}/, '').replace(/^url\s{0,9}=\s{0,9}/i, '')
  const [quote = ''] = target
  const isQuoted = quote === '"' || quote === "'"
  const address = isQuoted ? (target.slice(1).split(quote)[0] ?? '') : target
  const url = URL.parse(address.trim(), base)
  if (address.trim() === '' || url === null || !/^https?:$/.test(url.protocol)) return null
  url.hash = ''
  return { url: url.href, isRedirect: Number.parseFloat(seconds) <= REDIRECT_SECONDS_MAX }
}

/** Returns the refresh of a page's first meta element that has one. */
export function refreshIn(document: PageElement, base: string): Refresh | null {
  for (const meta of document.querySelectorAll('meta[http-equiv][content]')) {
    if (meta.getAttribute('http-equiv')?.trim().toLowerCase() !== 'refresh') continue
    if (meta.closest('template, svg') !== null) continue
    const refresh = readRefresh(meta.getAttribute('content') ?? '', base)
    if (refresh === null) continue
    return meta.closest('noscript') === null ? refresh : { ...refresh, isRedirect: false }
  }
  return null
}
