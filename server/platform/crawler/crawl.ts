import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { sentence } from '#errors'
import { DocumentError, type Documents, type WebPage } from '../documents/documents.ts'
import { readRefresh } from '../documents/page-refresh.ts'
import { readRobotsDirectives } from '../documents/robots-directives.ts'
import { REDIRECTS_MAX, redirectTarget } from '../net/exchange-bounds.ts'
import { type BoundedAnswer, FetchError, mediaTypeOf } from '../net/fetch-bounded.ts'
import { type Net, NetError } from '../net/index.ts'
import { canonicalUrl, siteOf, URL_CHARACTERS_MAX } from './addresses.ts'
import { CrawlError, isTemporary } from './crawl-error.ts'
import { createFrontier, type Frontier, type FrontierEntry } from './frontier.ts'
import { type Robots, readRobots } from './robots.ts'
import { readSitemaps } from './sitemaps.ts'
import { createVisitor, type Visitor } from './visit.ts'

export { CrawlError } from './crawl-error.ts'

export interface CrawlRequest {
  /** URL of the first page, as entered by the tenant. */
  url: string
  /** Maximum number of returned pages, including failed pages. At most PAGES_MAX. Default: 1. */
  maxPages?: number
  /** Maximum distance from the first page, in links. Default: 0, which follows no links. */
  maxDepth?: number
}

export type CrawledPage = ReadPage | FailedPage

export interface ReadPage {
  /** The page's canonical URL if it is on the same website, otherwise the URL where the page was found. */
  url: string
  title: string
  markdown: string
  description?: string
  /** SHA-256 of `markdown`, in hexadecimal. */
  contentHash: string
  etag?: string
  lastModified?: string
}

export interface FailedPage {
  url: string
  /** Error message for the user. */
  error: string
}

/** @limit pages of a website */
export const PAGES_MAX = 10_000
/** @limit page of a website */
const PAGE_BYTES_MAX = 5_000_000
const REQUESTS_AT_ONCE = 2
/**
 * Maximum requests per page to return. More than one, because a page may be a duplicate or excluded from indexing.
 */
const ATTEMPTS_PER_PAGE = 4
const HTML_TYPES = ['text/html', 'application/xhtml+xml']
const PAGE_TYPES = [...HTML_TYPES, 'text/markdown', 'text/plain']

/**
 * Crawls a website: the first page, then the pages linked on the same website, breadth first, then the pages in its
 * sitemaps. Respects robots.txt (RFC 9309) and the robots directives of pages. Skips pages already read at another
 * URL.
 *
 * A failing page doesn't stop the crawl, except the first page. If the first page fails, throws its NetError,
 * FetchError, DocumentError or CrawlError. Throws the signal's reason on abort. Has no timeout of its own.
 */
export async function* crawl(
  net: Net,
  documents: Pick<Documents, 'readPage'>,
  { url, maxPages = 1, maxDepth = 0 }: CrawlRequest,
  signal: AbortSignal,
): AsyncGenerator<CrawledPage> {
  const first = canonicalUrl(net.checkUrl(url).href)
  if (first === null) throw new CrawlError(sentence('crawl.address_too_long', { limit: URL_CHARACTERS_MAX }))
  const ending = new AbortController()
  const site = createSite(net, documents, AbortSignal.any([signal, ending.signal]))
  try {
    const firstVisit = await site.read(first)
    const frontier = createFrontier([first, firstVisit.foundAt], maxDepth)
    site.stayAt(siteOf(firstVisit.foundAt))
    if (!firstVisit.isIndexable) throw new CrawlError(sentence('crawl.noindex'))
    if (firstVisit.page.markdown === '') throw new CrawlError(sentence('crawl.no_text'))
    frontier.isNew(firstVisit.page)
    yield firstVisit.page
    if (firstVisit.isFollowable) frontier.add(firstVisit.links, 1)
    const readSitemap = (pages: number) => site.sitemapPages(new URL(firstVisit.foundAt).origin, pages)
    yield* readRest(site, readSitemap, frontier, Math.min(maxPages, PAGES_MAX) - 1)
  } finally {
    ending.abort(new Error('The crawl ended'))
  }
}

type Site = ReturnType<typeof createSite>

/** Reads the pages after the first page, two concurrently. Yields them in the order in which they were found. */
async function* readRest(
  site: Site,
  readSitemap: (pagesMax: number) => Promise<string[]>,
  frontier: Frontier,
  pagesMax: number,
): AsyncGenerator<CrawledPage> {
  const underWay: { entry: FrontierEntry; outcome: Promise<Visit | Error> }[] = []
  let returned = 0
  let attempts = 0
  let hasSitemaps = false
  for (;;) {
    while (
      underWay.length < REQUESTS_AT_ONCE &&
      returned + underWay.length < pagesMax &&
      attempts < pagesMax * ATTEMPTS_PER_PAGE
    ) {
      const entry = frontier.take()
      if (entry === undefined) break
      attempts++
      underWay.push({ entry, outcome: site.read(entry.url).catch((error: unknown) => error as Error) })
    }
    const next = underWay.shift()
    if (next === undefined) {
      if (hasSitemaps || returned >= pagesMax || attempts >= pagesMax * ATTEMPTS_PER_PAGE) return
      hasSitemaps = true
      frontier.add(await readSitemap(pagesMax * ATTEMPTS_PER_PAGE), 1, true)
      continue
    }
    const page = judge(next.entry, await next.outcome, frontier)
    if (page === null) continue
    returned++
    yield page
  }
}

/**
 * Returns the result for a page. Returns null if the URL is not a page, or if the page is excluded or was already
 * read.
 */
function judge(
  { url, depth }: FrontierEntry,
  outcome: Visit | Error,
  frontier: Frontier,
): CrawledPage | null {
  if (outcome instanceof Skipped) return null
  if (outcome instanceof Error) {
    if (isOfPage(outcome)) return { url, error: outcome.message }
    throw outcome
  }
  const { page, links, isIndexable, isFollowable } = outcome
  if (isFollowable) frontier.add(links, depth + 1)
  if (!isIndexable || !frontier.isNew(page)) return null
  return page.markdown === '' ? { url: page.url, error: sentence('crawl.no_text') } : page
}

const isOfPage = (error: Error): boolean =>
  [NetError, FetchError, DocumentError, CrawlError].some((kind) => error instanceof kind)

/** A page that is omitted silently: forbidden by robots.txt, redirected to another website, or not text. */
class Skipped extends CrawlError {}

interface Visit {
  page: ReadPage
  foundAt: string
  links: string[]
  isIndexable: boolean
  isFollowable: boolean
}

function createSite(net: Net, documents: Pick<Documents, 'readPage'>, signal: AbortSignal) {
  const visitor: Visitor = createVisitor(net)
  const robots = new Map<string, Promise<Robots>>()
  let home: string | null = null

  const robotsOf = (url: string): Promise<Robots> => {
    const { origin } = new URL(url)
    let found = robots.get(origin)
    if (found === undefined) {
      found = readRobots(origin, visitor, signal)
      found.catch(() => {})
      robots.set(origin, found)
    }
    return found
  }
  const checkAllowed = async (url: string): Promise<void> => {
    if (home !== null && siteOf(url) !== home) throw new Skipped(sentence('crawl.other_website'))
    const rules = await robotsOf(url)
    // Many forbidden URLs in a row would otherwise be checked without a turn of the event loop.
    await setImmediate()
    if (!rules.isAllowed(url)) throw new Skipped(sentence('crawl.forbidden', { site: siteOf(url) }))
  }

  return {
    /** Restricts further requests to this website. */
    stayAt(site: string): void {
      home = site
    },
    /** Reads the page at a URL, or the page to which it refreshes. Follows refreshes like redirects. */
    async read(url: string): Promise<Visit> {
      const seen = new Set<string>()
      let next = url
      for (let hop = 0; ; hop++) {
        await checkAllowed(next)
        const answer = await visitor.get(next, {
          bytesMax: PAGE_BYTES_MAX,
          accept: ['', ...PAGE_TYPES],
          onRedirect: checkAllowed,
          signal,
        })
        const page = await readAnswer(answer, documents)
        const target = refreshOf(answer, page)
        seen.add(answer.url).add(next)
        if (target === null) return toVisit(answer, page)
        if (seen.has(target) || hop === REDIRECTS_MAX) {
          if (page.text !== '') return toVisit(answer, page)
          throw new FetchError(
            sentence('net.redirects', { host: new URL(answer.url).host, limit: REDIRECTS_MAX }),
          )
        }
        next = target
      }
    },
    async sitemapPages(origin: string, pagesMax: number): Promise<string[]> {
      const named = (await robotsOf(origin)).sitemaps.filter(
        (address) => URL.canParse(address) && siteOf(address) === home,
      )
      return readSitemaps(named.length > 0 ? named : [`${origin}/sitemap.xml`], visitor, pagesMax, signal)
    },
  }
}

async function readAnswer(answer: BoundedAnswer, documents: Pick<Documents, 'readPage'>): Promise<WebPage> {
  const { status, url, body, contentType } = answer
  const { host } = new URL(url)
  if (status >= 300)
    throw new CrawlError(sentence('crawl.status', { host, status }), { canTryAgain: isTemporary(status) })
  const type = mediaTypeOf(contentType)
  if (type === 'application/pdf') throw new Skipped(sentence('crawl.pdf'))
  if (type !== '' && !PAGE_TYPES.includes(type)) throw new Skipped(sentence('crawl.not_a_page', { type }))
  return documents.readPage({ bytes: body, contentType: type === '' ? 'text/html' : contentType, url })
}

/**
 * Returns the URL to which a page refreshes. Returns null for a page that only reloads itself, or that has text and shows
 * it for some time.
 */
function refreshOf({ url, headers }: BoundedAnswer, page: WebPage): string | null {
  const refresh = page.refresh ?? readRefresh(String(headers['refresh'] ?? ''), url)
  if (refresh === null || (!refresh.isRedirect && page.text !== '')) return null
  const target = redirectTarget(url, refresh.url)
  return target === url ? null : target
}

function toVisit({ url, headers, etag, lastModified }: BoundedAnswer, read: WebPage): Visit {
  const byHeader = readRobotsDirectives(String(headers['x-robots-tag'] ?? ''))
  const foundAt = canonicalUrl(url) ?? url
  const own = read.canonical === null ? null : canonicalUrl(read.canonical)
  const page: ReadPage = {
    url: own !== null && siteOf(own) === siteOf(foundAt) ? own : foundAt,
    title: read.title || foundAt,
    markdown: read.text,
    contentHash: createHash('sha256').update(read.text).digest('hex'),
  }
  if (read.description !== '') page.description = read.description
  if (etag !== null) page.etag = etag
  if (lastModified !== null) page.lastModified = lastModified
  return {
    page,
    foundAt,
    links: read.links,
    isIndexable: read.isIndexable && byHeader.isIndexable,
    isFollowable: read.isFollowable && byHeader.isFollowable,
  }
}
