import robotsParser from 'robots-parser'
import { sentence } from '#errors'
import { CrawlError } from './crawl-error.ts'
import type { Visitor } from './visit.ts'

/** The robots.txt of an origin. A missing file allows everything (RFC 9309, 2.3.1.3). */
export interface Robots {
  isAllowed(url: string): boolean
  sitemaps: string[]
}

/**
 * Maximum bytes of a robots.txt that are read: the minimum that RFC 9309 (2.5) requires. The rest is ignored.
 * @limit robots.txt (the rest is ignored)
 */
const ROBOTS_BYTES_MAX = 500 * 1024
/**
 * Maximum characters in rules with wildcards, because matching such rules is slow.
 * @limit rules with wildcards in a robots.txt
 */
const STAR_CHARACTERS_MAX = 50_000
/**
 * Maximum steps of matching a URL, about 10 ms: characters of the URL times characters in rules with wildcards. A URL
 * that would take more is not fetched, because its permission is unknown.
 */
const MATCH_STEPS_MAX = 5_000_000
const SITEMAPS_MAX = 10
const AGENT = 'Parley'

const ALLOW_ALL: Robots = { isAllowed: () => true, sitemaps: [] }

/**
 * Reads /robots.txt of an origin. Throws a CrawlError if the rules cannot be determined, because then nothing may be
 * fetched (RFC 9309, 2.3.1.4). Also throws the errors of `visitor.get`.
 */
export async function readRobots(origin: string, visitor: Visitor, signal: AbortSignal): Promise<Robots> {
  const url = `${origin}/robots.txt`
  const { status, body } = await visitor.get(url, { bytesMax: ROBOTS_BYTES_MAX, isCut: true, signal })
  if (status === 429 || status >= 500)
    throw new CrawlError(sentence('crawl.robots_unavailable', { origin, status }), {
      canTryAgain: true,
    })
  if (status >= 300) return ALLOW_ALL
  const rules = body.toString()
  const starCharacters = countStarCharacters(rules)
  if (starCharacters > STAR_CHARACTERS_MAX) throw new CrawlError(sentence('crawl.robots_unclear', { origin }))
  const robots = parseRobots(url, rules)
  return {
    isAllowed: (address) =>
      starCharacters * address.length <= MATCH_STEPS_MAX && robots.isAllowed(address, AGENT) !== false,
    sitemaps: robots.getSitemaps().slice(0, SITEMAPS_MAX),
  }
}

// The package's types describe an ES module, but the package is CommonJS.
const parseRobots = robotsParser as unknown as typeof robotsParser.default

function countStarCharacters(rules: string): number {
  let characters = 0
  for (const line of rules.split(/[\r\n]/)) if (line.includes('*')) characters += line.length
  return characters
}
