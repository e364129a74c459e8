import type { ModelUsage } from './types.ts'

/** Beyond every context window: what says more is no count. */
const TOKENS_MAX = 100_000_000

/**
 * A provider's own count, which is what its customer pays by. Null where it tells neither number: a wrong count is
 * worse than none.
 */
export const usageOf = (input: unknown, output: unknown): ModelUsage | null =>
  isCount(input) || isCount(output) ? { inputTokens: count(input), outputTokens: count(output) } : null

/** A number of tokens as a provider tells it; none where it is no number of anything. */
export const count = (value: unknown): number => (isCount(value) ? value : 0)

const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= TOKENS_MAX
