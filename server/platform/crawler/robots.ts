import robotsParser from 'robots-parser'
import { sentence } from '#errors'
import { CrawlError } from './crawl-error.ts'
import type { Visitor } from './visit.ts'

/** What robots.txt of an origin says. Missing, it allows everything (RFC 9309, 2.3.1.3). */
export interface Robots {
  isAllowed(url: string): boolean
  sitemaps: string[]
}

/** What is read of a robots.txt: the least that RFC 9309 demands (2.5). What comes after is not. */
const ROBOTS_BYTES_MAX = 500 * 1024
/** Rules with a star are tried against all of an address at each of its characters, which takes time. */
const STAR_CHARACTERS_MAX = 50_000
const SITEMAPS_MAX = 10
const AGENT = 'Parley'

const ALLOW_ALL: Robots = { isAllowed: () => true, sitemaps: [] }

/**
 * Reads /robots.txt of an origin. Throws a CrawlError where it can't be known what it says: then nothing may be
 * fetched (RFC 9309, 2.3.1.4). Throws what `visit` throws.
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
  if (countStarCharacters(rules) > STAR_CHARACTERS_MAX)
    throw new CrawlError(sentence('crawl.robots_unclear', { origin }))
  const robots = parseRobots(url, rules)
  return {
    isAllowed: (address) => robots.isAllowed(address, AGENT) !== false,
    sitemaps: robots.getSitemaps().slice(0, SITEMAPS_MAX),
  }
}

// Its types are those of an ES module, and it is none.
const parseRobots = robotsParser as unknown as typeof robotsParser.default

function countStarCharacters(rules: string): number {
  let characters = 0
  for (const line of rules.split(/[\r\n]/)) if (line.includes('*')) characters += line.length
  return characters
}
