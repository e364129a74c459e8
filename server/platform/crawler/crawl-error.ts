/**
 * A page, or a website, that can't be read. The message is a sentence for the person who gave the address.
 * `canTryAgain`: the website is busy or broken, and may answer later.
 */
export class CrawlError extends Error {
  override readonly name = 'CrawlError'
  readonly canTryAgain: boolean

  constructor(message: string, { canTryAgain = false }: { canTryAgain?: boolean } = {}) {
    super(message)
    this.canTryAgain = canTryAgain
  }
}

/** Statuses with which a server says that it cannot answer now: timeouts, too many requests, faults of its own. */
export const mayAnswerLater = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || status >= 500
