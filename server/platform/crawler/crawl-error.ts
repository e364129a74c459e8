/**
 * A page or website that cannot be read. The message is for the user who entered the URL. `canTryAgain` is true if
 * the website is overloaded or failing and may respond later.
 */
export class CrawlError extends Error {
  override readonly name = 'CrawlError'
  readonly canTryAgain: boolean

  constructor(message: string, { canTryAgain = false }: { canTryAgain?: boolean } = {}) {
    super(message)
    this.canTryAgain = canTryAgain
  }
}

/** Returns true if a status is temporary: a timeout, a rate limit or a server error. */
export const isTemporary = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || status >= 500
