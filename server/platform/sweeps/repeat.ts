import type { Logger } from 'pino'

/** Repeats work at an interval, and logs failures. Returns a function that stops it. */
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
