import type { Outcome } from './row.ts'

/** One attack that a refusal ends, or a genuine request that shows that the refusals mean something. */
export interface Attempt {
  what: string
  /** The statuses that are right: of a refusal, or of the genuine request. */
  expected: readonly number[]
  send(): Promise<number>
}

/** Tries them one after the other. */
export async function tryAll(attempts: readonly Attempt[]): Promise<Outcome> {
  const failures: string[] = []
  for (const { what, expected, send } of attempts) {
    const status = await send().catch((error: unknown) => String(error))
    if (typeof status === 'string' || !expected.includes(status))
      failures.push(`${what}: ${status} instead of ${expected.join(' or ')}`)
  }
  return { cases: attempts.length, failures }
}
