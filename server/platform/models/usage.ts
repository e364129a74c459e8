import type { ModelUsage } from './types.ts'

/** Maximum valid token count, larger than every context window. */
const TOKENS_MAX = 100_000_000

/**
 * Returns the usage reported by the provider, which is the usage that the provider bills. Returns null if neither
 * number is valid. If only one number is valid, the other is 0.
 */
export function usageOf(
  input: unknown,
  output: unknown,
  details: { cached?: unknown; cacheWrite?: unknown; reasoning?: unknown } = {},
): ModelUsage | null {
  if (!isCount(input) && !isCount(output)) return null
  const { cached, cacheWrite, reasoning } = details
  return {
    inputTokens: count(input),
    outputTokens: count(output),
    ...(isCount(cached) && { cachedTokens: cached }),
    ...(isCount(cacheWrite) && { cacheWriteTokens: cacheWrite }),
    ...(isCount(reasoning) && { reasoningTokens: reasoning }),
  }
}

/** Returns the sum of usages. A detail is missing if no usage has it. */
export function sumUsages(usages: readonly ModelUsage[]): ModelUsage {
  const total: ModelUsage = { inputTokens: 0, outputTokens: 0 }
  for (const usage of usages)
    for (const [name, tokens] of Object.entries(usage) as [keyof ModelUsage, number][])
      total[name] = (total[name] ?? 0) + tokens
  return total
}

/** Returns a token count reported by a provider, or 0 if it is not a valid count. */
export const count = (value: unknown): number => (isCount(value) ? value : 0)

const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= TOKENS_MAX
