import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { FetchError } from '../net/fetch-bounded.ts'
import { NetError } from '../net/index.ts'
import { canonicalUrl, siteOf } from './addresses.ts'
import type { Visitor } from './visit.ts'

const SITEMAP_BYTES_MAX = 5_000_000
/** Maximum number of sitemap files that are read, including the files listed in an index. */
const SITEMAPS_MAX = 20

/**
 * Returns at most `pagesMax` pages from a website's sitemaps (sitemaps.org, protocol 0.9, with gzip and indexes).
 * Ignores sitemaps that cannot be read.
 */
export async function readSitemaps(
  addresses: string[],
  visitor: Visitor,
  pagesMax: number,
  signal: AbortSignal,
): Promise<string[]> {
  const pages = new Set<string>()
  const queue = [...new Set(addresses)]
  for (let read = 0; read < SITEMAPS_MAX && pages.size < pagesMax; read++) {
    const address = queue.shift()
    if (address === undefined) break
    const xml = await readSitemap(address, visitor, signal)
    const isIndex = /<sitemapindex[\s>]/.test(xml.slice(0, 2_000))
    for (const location of locationsOf(xml)) {
      const url = canonicalUrl(location)
      if (url === null || siteOf(url) !== siteOf(address)) continue
      if (!isIndex) pages.add(url)
      else if (queue.length < SITEMAPS_MAX) queue.push(url)
      if (pages.size === pagesMax) break
    }
  }
  return [...pages]
}

async function readSitemap(address: string, visitor: Visitor, signal: AbortSignal): Promise<string> {
  try {
    const { status, body } = await visitor.get(address, { bytesMax: SITEMAP_BYTES_MAX, signal })
    if (status >= 300) return ''
    const isPacked = body[0] === 0x1f && body[1] === 0x8b
    const xml = isPacked ? await unpack(body, { maxOutputLength: SITEMAP_BYTES_MAX }) : body
    return xml.toString()
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof NetError || error instanceof FetchError || isOfZlib(error)) return ''
    throw error
  }
}

const unpack = promisify(gunzip)

const isOfZlib = (error: unknown): boolean =>
  /^(Z_|ERR_BUFFER_TOO_LARGE)/.test(String((error as { code?: unknown }).code))

/**
 * Yields the contents of `loc` elements. Written by hand so that every character is read only once, whatever the file
 * contains.
 */
function* locationsOf(xml: string): Generator<string> {
  for (let position = xml.indexOf('<loc>'); position >= 0; position = xml.indexOf('<loc>', position)) {
    const begin = position + '<loc>'.length
    const end = xml.indexOf('<', begin)
    if (end < 0) return
    position = end
    yield xml.slice(begin, end).trim().replaceAll('&amp;', '&')
  }
}
