import type { ModelUsage } from './types.ts'

/** Maximum valid token count, larger than every context window. */
const TOKENS_MAX = 100_000_000

/**
 * Returns the usage reported by the provider, which is the usage that the provider bills. Returns null if neither
 * number is valid. If only one number is valid, the other is 0.
 */
export const usageOf = (input: unknown, output: unknown): ModelUsage | null =>
  isCount(input) || isCount(output) ? { inputTokens: count(input), outputTokens: count(output) } : null

/** Returns a token count reported by a provider, or 0 if it is not a valid count. */
export const count = (value: unknown): number => (isCount(value) ? value : 0)

const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= TOKENS_MAX
