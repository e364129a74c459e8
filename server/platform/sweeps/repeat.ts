import type { Logger } from 'pino'
import { asLook } from '#database/looks.ts'
import { describeWork, runWork } from '#platform/telemetry/running.ts'

/**
 * Runs `work` at an interval and logs its failures, also in an idle process. Use it for upkeep that no sweep looks for.
 * `name` is its name in logs and metrics. Returns a function that stops the interval.
 */
export function repeat(
  milliseconds: number,
  work: () => Promise<unknown>,
  { name, log, message }: { name: string; log: Logger; message: string },
): () => void {
  const timer = setInterval(() => {
    runWork(describeWork(`sweep ${name}`), () => asLook(work)).catch((error: unknown) =>
      log.error({ err: error }, message),
    )
  }, milliseconds)
  return () => clearInterval(timer)
}
