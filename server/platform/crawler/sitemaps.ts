import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { decodePage } from '../documents/page-encoding.ts'
import { FetchError } from '../net/fetch-bounded.ts'
import { NetError } from '../net/index.ts'
import { threads } from '../threads/threads.ts'
import { locationsOf } from './locations.ts'
import type { Visitor } from './visit.ts'

/** @limit sitemap */
const SITEMAP_BYTES_MAX = 5_000_000
/**
 * Maximum number of sitemap files that are read, including the files listed in an index.
 * @limit sitemaps of a website
 */
const SITEMAPS_MAX = 20
/** A longer sitemap is read in a thread. This many characters take at most about 5 ms. */
const READ_HERE_CHARACTERS_MAX = 100_000

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
    const sitemap = { xml: await readSitemap(address, visitor, signal), address, limit: pagesMax }
    const isShort = sitemap.xml.length <= READ_HERE_CHARACTERS_MAX
    const { isIndex, urls } = isShort
      ? locationsOf(sitemap)
      : await threads.run('locationsOf', sitemap, signal)
    for (const url of urls) {
      if (!isIndex) pages.add(url)
      else if (queue.length < SITEMAPS_MAX) queue.push(url)
      if (pages.size === pagesMax) break
    }
  }
  return [...pages]
}

async function readSitemap(address: string, visitor: Visitor, signal: AbortSignal): Promise<string> {
  try {
    const { status, body, contentType } = await visitor.get(address, { bytesMax: SITEMAP_BYTES_MAX, signal })
    if (status >= 300) return ''
    const isPacked = body[0] === 0x1f && body[1] === 0x8b
    const xml = isPacked ? await unpack(body, { maxOutputLength: SITEMAP_BYTES_MAX }) : body
    return decodePage(xml, isPacked ? '' : contentType)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof NetError || error instanceof FetchError || isOfZlib(error)) return ''
    throw error
  }
}

const unpack = promisify(gunzip)

const isOfZlib = (error: unknown): boolean =>
  /^(Z_|ERR_BUFFER_TOO_LARGE)/.test(String((error as { code?: unknown }).code))
