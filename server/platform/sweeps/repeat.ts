import type { Logger } from 'pino'

/** Runs `work` at an interval and logs its failures. Returns a function that stops the interval. */
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
