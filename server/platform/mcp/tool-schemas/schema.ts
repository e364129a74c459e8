import { isExactNumber } from '#database/exact-json.ts'

export type Schema = Record<string, unknown>

/** Returns whether a value is an object of JSON: no list, no null, and no number that is kept as its digits. */
export const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export const isText = (value: unknown): value is string => typeof value === 'string'
