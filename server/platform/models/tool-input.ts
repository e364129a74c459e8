import { isExactNumber } from '#database/exact-json.ts'

/** Maximum nesting depth of the arguments of a tool call. */
const NESTING_MAX = 64

/** Returns the value if it is an object within the nesting limit, or undefined for anything else. */
export function asArguments(value: unknown): Record<string, unknown> | undefined {
  const isObject =
    value !== null && typeof value === 'object' && !Array.isArray(value) && !isExactNumber(value)
  return isObject && isNestedWithin(value, NESTING_MAX) ? (value as Record<string, unknown>) : undefined
}

const isNestedWithin = (value: unknown, levels: number): boolean =>
  value === null ||
  typeof value !== 'object' ||
  (levels > 0 && Object.values(value).every((part) => isNestedWithin(part, levels - 1)))
