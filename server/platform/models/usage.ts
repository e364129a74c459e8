import type { ModelUsage } from './types.ts'

/** Larger than every context window. A larger number is not a valid count. */
const TOKENS_MAX = 100_000_000

/**
 * Returns the provider's own count, which its customers are billed by. Returns null if it reports neither number: no
 * count is better than a wrong one.
 */
export const usageOf = (input: unknown, output: unknown): ModelUsage | null =>
  isCount(input) || isCount(output) ? { inputTokens: count(input), outputTokens: count(output) } : null

/** Returns a token count reported by a provider, or 0 if it is not a valid count. */
export const count = (value: unknown): number => (isCount(value) ? value : 0)

const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= TOKENS_MAX
