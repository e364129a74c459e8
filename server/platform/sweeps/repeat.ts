import type { Logger } from 'pino'

/** Does some work again and again, every so many milliseconds; a time that fails is logged. Answers how to end it. */
export function repeat(
  milliseconds: number,
  work: () => Promise<unknown>,
  failure: { log: Logger; message: string },
): () => void {
  const timer = setInterval(() => {
    work().catch((error: unknown) => failure.log.error({ err: error }, failure.message))
  }, milliseconds)
  return () => clearInterval(timer)
}
