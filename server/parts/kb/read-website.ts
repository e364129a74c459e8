import { sentence } from '#errors'
import { type CrawledPage, crawl } from '#platform/crawler/crawl.ts'
import type { IngestionDependencies } from './ingestion.ts'
import type { ReadingResult, ReadingSource } from './reading.ts'
import type { WebConfig } from './source-config.ts'
import { type FoundDocument, storeDocument } from './store-document.ts'

/** Stores each page of a website as a document whose key is the page's URL. */
export async function readWebsite(
  deps: IngestionDependencies,
  source: ReadingSource,
  signal: AbortSignal,
): Promise<ReadingResult> {
  const { net, documents } = deps.services
  const config = source.config as WebConfig
  const target = { url: config.url, maxPages: config.max_pages ?? 1, maxDepth: config.max_depth ?? 0 }
  // An unreadable page may link to pages that still exist, so documents that were not found must be kept.
  let isComplete = true
  for await (const page of crawl(net, documents, target, signal)) {
    if ('error' in page) isComplete = false
    await storeDocument(deps, source, toDocument(page))
  }
  return { isComplete, skipped: 0 }
}

function toDocument(page: CrawledPage): FoundDocument {
  const { url } = page
  const shared = { key: url, mimeType: 'text/html', fingerprint: null }
  if ('error' in page)
    return { ...shared, name: url, size: 0, metadata: { url }, text: { failure: page.error } }
  const { title, markdown, description, lastModified, contentHash } = page
  return {
    ...shared,
    name: title || url,
    size: Buffer.byteLength(markdown),
    metadata: {
      url,
      title,
      ...(description !== undefined && { description }),
      ...(lastModified !== undefined && { last_modified: lastModified }),
    },
    text:
      markdown === ''
        ? { failure: sentence('crawl.no_text') }
        : { content: markdown, hash: contentHash, kind: 'markdown' },
  }
}
