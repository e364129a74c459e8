import type { ParameterDescriptor } from '#database/schema/tools.ts'

export type ParameterType = ParameterDescriptor['type']

/** The types in words. */
export const TYPE_WORDS: Record<ParameterType, string> = {
  str: 'a text',
  int: 'a whole number',
  float: 'a number',
  bool: 'true or false',
  list: 'a list',
  dict: 'an object',
}

/** Whether a JSON value is of a type, strictly: 1.0 is an int, "5" is none, nor is a number beyond what is exact. */
export function isOfType(type: ParameterType, value: unknown): boolean {
  switch (type) {
    case 'str':
      return typeof value === 'string'
    case 'int':
      return Number.isSafeInteger(value)
    case 'float':
      return typeof value === 'number' && Number.isFinite(value)
    case 'bool':
      return typeof value === 'boolean'
    case 'list':
      return Array.isArray(value)
    case 'dict':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
  }
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** The value that a text stands for, as defaults are written; undefined where it stands for none of this type. */
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
      return /^[+-]?\d+$/.test(bare) ? Number(bare) : undefined
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
    return JSON.parse(text)
  } catch {
    return undefined // no JSON is no value, which is what is asked
  }
}

/** What counts where no value is given; undefined: nothing does. */
export const defaultOf = (descriptor: Pick<ParameterDescriptor, 'type' | 'default'>): unknown =>
  descriptor.default === null ? undefined : parseValue(descriptor.type, descriptor.default)
