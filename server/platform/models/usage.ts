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
  const [inputTokens, outputTokens] = [countOf(input), countOf(output)]
  if (inputTokens === undefined && outputTokens === undefined) return null
  const cachedTokens = countOf(details.cached)
  const cacheWriteTokens = countOf(details.cacheWrite)
  const reasoningTokens = countOf(details.reasoning)
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
  }
}

/**
 * Returns the usage of a reply after a later report. Some servers report the tokens of the prompt first and those of the
 * reply later, and some end with a report of zeros, so a number replaces an earlier one unless it is 0.
 */
export function laterUsage(earlier: ModelUsage | null, later: ModelUsage | null): ModelUsage | null {
  if (!earlier || !later) return later ?? earlier
  return {
    ...earlier,
    ...later,
    inputTokens: later.inputTokens || earlier.inputTokens,
    outputTokens: later.outputTokens || earlier.outputTokens,
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
export const count = (value: unknown): number => countOf(value) ?? 0

/** Returns a token count, which some servers send as a string, or undefined if it is not a valid count. */
export function countOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value
  return Number.isInteger(number) && Number(number) >= 0 && Number(number) <= TOKENS_MAX
    ? Number(number)
    : undefined
}

const DIGITS = /^\d{1,9}(?:\.0+)?$/
