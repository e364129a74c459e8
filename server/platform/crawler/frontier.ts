import { canonicalUrl, pageKey, siteOf } from './addresses.ts'
import type { ReadPage } from './crawl.ts'

/** A discovered page and its distance in links from the first page. */
export interface FrontierEntry {
  url: string
  depth: number
}

/** The pages to read, breadth first, and those already read. */
export interface Frontier {
  take(): FrontierEntry | undefined
  /**
   * Adds pages of the website that are not known yet. `isNamed` marks addresses from a sitemap, for which `maxDepth`
   * does not apply.
   */
  add(addresses: string[], depth: number, isNamed?: boolean): void
  /** Whether neither this address nor this content has been read before. Marks both as read. */
  isNew(page: ReadPage): boolean
}

/** Maximum number of remembered links. */
const LINKS_MAX = 10_000

export function createFrontier(first: string[], maxDepth: number): Frontier {
  const site = siteOf(first.at(-1) ?? '')
  const known = new Set(first.map(pageKey))
  const read = new Set<string>()
  const contents = new Set<string>()
  const queue: FrontierEntry[] = []
  return {
    take: () => queue.shift(),
    add(addresses, depth, isNamed = false) {
      if (depth > maxDepth && !isNamed) return
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
