import type { Outcome } from './row.ts'

/**
 * An attack that the server must reject, or a genuine request that must succeed. The genuine requests prove that the
 * server doesn't just reject everything.
 */
export interface Attempt {
  what: string
  /** The statuses that are accepted as the outcome of the attempt. */
  expected: readonly number[]
  send(): Promise<number>
}

export async function tryAll(attempts: readonly Attempt[]): Promise<Outcome> {
  const failures: string[] = []
  for (const { what, expected, send } of attempts) {
    const status = await send().catch((error: unknown) => String(error))
    if (typeof status === 'string' || !expected.includes(status))
      failures.push(`${what}: ${status} instead of ${expected.join(' or ')}`)
  }
  return { cases: attempts.length, failures }
}
