/**
 * A page or website cannot be read. The message is written for the user who entered the address. `canTryAgain` is true
 * if the website is overloaded or failing and may respond later.
 */
export class CrawlError extends Error {
  override readonly name = 'CrawlError'
  readonly canTryAgain: boolean

  constructor(message: string, { canTryAgain = false }: { canTryAgain?: boolean } = {}) {
    super(message)
    this.canTryAgain = canTryAgain
  }
}

/** Whether a status is temporary: timeouts, rate limits and server errors. */
export const mayAnswerLater = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || status >= 500
