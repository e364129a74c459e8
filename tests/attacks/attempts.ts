import type { Outcome } from './row.ts'

/** An attack that the server must refuse, or a genuine request that proves that the refusals mean something. */
export interface Attempt {
  what: string
  /** The expected statuses of the refusal or of the genuine request. */
  expected: readonly number[]
  send(): Promise<number>
}

/** Runs the attempts one after the other. */
export async function tryAll(attempts: readonly Attempt[]): Promise<Outcome> {
  const failures: string[] = []
  for (const { what, expected, send } of attempts) {
    const status = await send().catch((error: unknown) => String(error))
    if (typeof status === 'string' || !expected.includes(status))
      failures.push(`${what}: ${status} instead of ${expected.join(' or ')}`)
  }
  return { cases: attempts.length, failures }
}
