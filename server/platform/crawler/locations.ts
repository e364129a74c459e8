import { canonicalUrl, siteOf } from './addresses.ts'
import { parseSitemap } from './parse-sitemap.ts'

/** A sitemap of a website, whose locations are wanted. */
export interface SitemapText {
  xml: string
  address: string
  /** Maximum number of addresses to return. */
  limit: number
}

/**
 * Returns the different addresses of a sitemap that belong to its own site, in their order, and whether it is an index
 * of other sitemaps.
 */
export function locationsOf({ xml, address, limit }: SitemapText): { isIndex: boolean; urls: string[] } {
  const { isIndex, locations } = parseSitemap(xml)
  const urls = new Set<string>()
  for (const location of locations) {
    if (urls.size === limit) break
    const url = canonicalUrl(location)
    if (url !== null && siteOf(url) === siteOf(address)) urls.add(url)
  }
  return { isIndex, urls: [...urls] }
}
