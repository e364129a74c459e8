/** Time after which a step of the start is reported. Reported again after twice the time, and so on. */
const REPORT_MS = 10_000
/** Limit of each step of a start that has none of its own. */
export const STEP_MS_MAX = 120_000

/** A start that gave up. The message is a single line for the operator. */
export class StartTimeoutError extends Error {
  override readonly name = 'StartTimeoutError'
}

/** Announces the next step of a start, by what it waits for. `limitMs` is the longest time until the step after it. */
export type AnnounceStep = (waitingFor: string, limitMs?: number) => void

/**
 * Runs a start, and reports the steps that take long. Throws a StartTimeoutError if a step exceeds its limit, so that a
 * start never hangs silently. The start keeps what it has opened, because the process is expected to exit.
 */
export async function watchStart<Started>(
  report: (line: string) => void,
  start: (announce: AnnounceStep) => Promise<Started>,
): Promise<Started> {
  const tooLate = Promise.withResolvers<never>()
  let timers: NodeJS.Timeout[] = []
  const reportAfter = (ms: number, waitingFor: string, waitedMs = 0): NodeJS.Timeout =>
    setTimeout(() => {
      const totalMs = waitedMs + ms
      report(`The start has waited ${totalMs / 1_000} s for ${waitingFor}.`)
      timers.push(reportAfter(totalMs, waitingFor, totalMs))
    }, ms)
  const giveUpAfter = (ms: number, waitingFor: string): NodeJS.Timeout =>
    setTimeout(() => {
      const sentence = `The start gave up after ${ms / 1_000} s of waiting for ${waitingFor}. Check it, and start again.`
      tooLate.reject(new StartTimeoutError(sentence))
    }, ms)
  const endStep = (): void => {
    for (const timer of timers) clearTimeout(timer)
    timers = []
  }
  try {
    const started = start((waitingFor, limitMs = STEP_MS_MAX) => {
      endStep()
      timers.push(reportAfter(REPORT_MS, waitingFor), giveUpAfter(limitMs, waitingFor))
    })
    return await Promise.race([started, tooLate.promise])
  } finally {
    endStep()
  }
}
