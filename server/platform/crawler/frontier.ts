import { canonicalUrl, pageKey, siteOf } from './addresses.ts'
import type { ReadPage } from './crawl.ts'

/** A page that has been found, and how many links lead there from the first one. */
export interface FrontierEntry {
  url: string
  depth: number
}

/** What is to be read of a website, breadth first, and what has been. */
export interface Frontier {
  take(): FrontierEntry | undefined
  /** Adds pages of the website that are not known yet. `isNamed`: found in no page, so no depth is too deep. */
  add(addresses: string[], depth: number, isNamed?: boolean): void
  /** Whether a page was read neither under its own address nor with the same content; from now on it was. */
  isNew(page: ReadPage): boolean
}

/** Links that are remembered, followed or not. */
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
