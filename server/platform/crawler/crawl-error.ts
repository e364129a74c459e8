/** A page, or a website, that can't be read. The message is a sentence for the person who gave the address. */
export class CrawlError extends Error {
  override readonly name = 'CrawlError'
}
