import { isExactNumber, parseExactJson } from '#database/exact-json.ts'
import type { ParameterDescriptor } from '#database/schema/tools.ts'
import { isRecord } from '#platform/http/is-record.ts'

export type ParameterType = ParameterDescriptor['type']

export const TYPE_WORDS: Record<ParameterType, string> = {
  str: 'a string',
  int: 'an integer',
  float: 'a number',
  bool: 'true or false',
  list: 'a list',
  dict: 'an object',
}

/**
 * Checks the type of a JSON value without conversion. 1.0 is an `int`. "5", and rounded integers outside the safe range,
 * are not.
 */
export function isOfType(type: ParameterType, value: unknown): boolean {
  switch (type) {
    case 'str':
      return typeof value === 'string'
    case 'int':
      return Number.isSafeInteger(value) || (isExactNumber(value) && /^-?\d+$/.test(value.rawJSON))
    case 'float':
      return isExactNumber(value) || (typeof value === 'number' && Number.isFinite(value))
    case 'bool':
      return typeof value === 'boolean'
    case 'list':
      return Array.isArray(value)
    case 'dict':
      return isRecord(value) && !isExactNumber(value)
  }
}

/** A plus and zeros before the first digit, which JSON does not allow. */
const LEADING = /^\+?(-?)0*(?=\d)/
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

/** Parses a string as a value of the type. Returns undefined if the string doesn't represent such a value. */
export function parseValue(type: ParameterType, text: string): unknown {
  const value = read(type, text)
  return isOfType(type, value) ? value : undefined
}

function read(type: ParameterType, text: string): unknown {
  const bare = text.trim()
  switch (type) {
    case 'str':
      return text
    case 'int':
      return /^[+-]?\d+$/.test(bare) ? parseJson(bare.replace(LEADING, '$1')) : undefined
    case 'float':
      return NUMBER.test(bare) ? Number(bare) : undefined
    case 'bool':
      return /^(?:true|false)$/i.test(bare) ? bare.toLowerCase() === 'true' : undefined
    default:
      return parseJson(bare)
  }
}

function parseJson(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return undefined // invalid JSON counts as no value
  }
}

/** Returns a parameter's parsed default. Undefined if there is none. */
export const defaultOf = (descriptor: Pick<ParameterDescriptor, 'type' | 'default'>): unknown =>
  descriptor.default === null ? undefined : parseValue(descriptor.type, descriptor.default)
