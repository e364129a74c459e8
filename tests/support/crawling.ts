import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type CrawledPage, type CrawlRequest, crawl } from '#platform/crawler/crawl.ts'
import { createDocuments } from '#platform/documents/documents.ts'
import { createExampleNet } from './provider/example-net.ts'
import { createWebsite, type Website } from './website.ts'

/** Prepares a website, empty before each test of the file, and what crawls it. */
export function prepareCrawls() {
  const website = createWebsite()
  const net = createExampleNet()
  const documents = createDocuments()
  const at: Website['at'] = (...place) => website.at(...place)
  beforeAll(website.open)
  beforeEach(() => {
    website.pages = {}
    website.asked.length = 0
  })
  afterAll(async () => {
    await Promise.all([net.close(), documents.close()])
    await website.close()
  })
  return {
    website: website as Website,
    net,
    documents,
    at,
    async read(request: Partial<CrawlRequest> = {}, signal = new AbortController().signal) {
      const pages: CrawledPage[] = []
      for await (const crawled of crawl(net, documents, { url: at('/'), ...request }, signal))
        pages.push(crawled)
      return pages
    },
    pathsOf: (pages: CrawledPage[]) => pages.map(({ url }) => url.slice(at('').length)),
  }
}

/** Returns the error of work that fails, or null. */
export const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error as Error,
  )
