import { canonicalUrl, pageKey, siteOf } from './addresses.ts'
import type { ReadPage } from './crawl.ts'

/** A discovered page and its distance from the first page, in links. */
export interface FrontierEntry {
  url: string
  depth: number
}

/** The queue of pages to read, breadth first, and the set of pages already read. */
export interface Frontier {
  take(): FrontierEntry | undefined
  /** Adds the website's pages that are not known yet. Pages from a sitemap are added regardless of `maxDepth`. */
  add(addresses: string[], depth: number, isFromSitemap?: boolean): void
  /** Returns true if neither this URL nor this content has been read before. Marks both as read. */
  isNew(page: ReadPage): boolean
}

/** Maximum number of remembered links. @limit links of a website that are remembered */
const LINKS_MAX = 10_000

export function createFrontier(first: string[], maxDepth: number): Frontier {
  const site = siteOf(first.at(-1) ?? '')
  const known = new Set(first.map(pageKey))
  const read = new Set<string>()
  const contents = new Set<string>()
  const queue: FrontierEntry[] = []
  return {
    take: () => queue.shift(),
    add(addresses, depth, isFromSitemap = false) {
      if (depth > maxDepth && !isFromSitemap) return
      for (const address of addresses) {
        if (known.size >= LINKS_MAX) return
        const url = canonicalUrl(address)
        if (url === null || siteOf(url) !== site || known.has(pageKey(url))) continue
        known.add(pageKey(url))
        queue.push({ url, depth })
      }
    },
    isNew({ url, contentHash }) {
      if (read.has(pageKey(url)) || contents.has(contentHash)) return false
      read.add(pageKey(url))
      known.add(pageKey(url))
      contents.add(contentHash)
      return true
    },
  }
}
