import type { Logger } from 'pino'
import { asLook } from '#database/looks.ts'

/**
 * Runs `work` at an interval and logs its failures, also in an idle process. Use it for upkeep that no sweep looks for.
 * Returns a function that stops the interval.
 */
export function repeat(
  milliseconds: number,
  work: () => Promise<unknown>,
  failure: { log: Logger; message: string },
): () => void {
  const timer = setInterval(() => {
    asLook(work).catch((error: unknown) => failure.log.error({ err: error }, failure.message))
  }, milliseconds)
  return () => clearInterval(timer)
}
