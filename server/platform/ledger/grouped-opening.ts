import { grouped } from '#database/grouped.ts'
import { retryStale, STALE } from './retry-stale.ts'

/** Maximum number of holds opened or closed in one statement. */
export const GROUP_MAX = 100
/** When this many organizations are remembered, all are forgotten. */
const LIMITED_MAX = 10_000

/** The usage that a call is expected to have. Budgets reserve its cost. */
export interface Expectation {
  inputTokens: number
  /** Maximum output. Null if the call has none; its output is then expected to be like that of recent calls. */
  outputTokens: number | null
}

/** Computes the expectation of a call. Runs only if the organization has budgets or limits per minute. */
export type Expect = () => Promise<Expectation>

/** The columns of an expectation in a statement. */
interface ExpectedColumns {
  input_expected?: number
  output_max?: number | null
}

/**
 * Turns a statement that opens holds into a function for one hold, as `grouped` does. Most organizations have neither
 * budgets nor limits per minute, and a statement without them takes a quarter to a third less time, so it is tried first. The
 * process remembers the organizations for which it was STALE.
 *
 * @param run receives `areLimited` of `openHolds`
 */
export function groupedOpening<Hold extends { organization_id: string }, Result>(
  run: (holds: (Hold & ExpectedColumns)[], areLimited: boolean) => Promise<(Result | typeof STALE)[]>,
): (hold: Hold, expect: Expect) => Promise<Result> {
  const limited = new Set<string>()
  const openUnlimited = grouped((holds: Hold[]) => run(holds, false), GROUP_MAX)
  const openLimited = grouped(
    (holds: (Hold & ExpectedColumns)[]) => retryStale(holds, (some) => run(some, true)),
    GROUP_MAX,
  )
  return async (hold, expect) => {
    const { organization_id: organizationId } = hold
    if (!limited.has(organizationId)) {
      const result = await openUnlimited(hold)
      if (result !== STALE) return result
      if (limited.size === LIMITED_MAX) limited.clear()
      limited.add(organizationId)
    }
    const { inputTokens, outputTokens } = await expect()
    return openLimited({ ...hold, input_expected: inputTokens, output_max: outputTokens })
  }
}
