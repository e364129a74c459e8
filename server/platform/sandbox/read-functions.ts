import { sentence } from '#errors'
import type { FoundFunction } from './sandbox.ts'

/** @limit functions in the code of a tool */
const FUNCTIONS_MAX = 200
const PARAMETERS_MAX = 100
const NAME_CHARACTERS_MAX = 200
const DESCRIPTION_CHARACTERS_MAX = 10_000
const TYPES = ['str', 'int', 'float', 'bool', 'list', 'dict'] as const

/**
 * Returns the functions that an inspection found. The inspected code may have forged the result, so it is validated
 * like any input from a tenant.
 */
export function readFunctions(output: unknown): { functions: FoundFunction[] } | { error: string } {
  if (!Array.isArray(output) || output.length > FUNCTIONS_MAX)
    return { error: sentence('sandbox.functions_max', { limit: FUNCTIONS_MAX }) }
  const functions = output.map(readFunction)
  const isFine = functions.every((found) => found !== null)
  if (!isFine) return { error: sentence('sandbox.functions_unclear') }
  return functions.length === 0 ? { error: sentence('sandbox.no_methods') } : { functions }
}

function readFunction(value: unknown): FoundFunction | null {
  const { name, description, isAsync, parameters, takesAny } = (value ?? {}) as Record<string, unknown>
  if (!isName(name) || typeof description !== 'string' || !Array.isArray(parameters)) return null
  if (typeof isAsync !== 'boolean' || typeof takesAny !== 'boolean') return null
  const read = parameters.slice(0, PARAMETERS_MAX).map(readParameter)
  if (!read.every((parameter) => parameter !== null)) return null
  return {
    name,
    description: description.slice(0, DESCRIPTION_CHARACTERS_MAX),
    isAsync,
    parameters: read,
    takesAny,
  }
}

function readParameter(value: unknown): FoundFunction['parameters'][number] | null {
  const { name, type, required, ...rest } = (value ?? {}) as Record<string, unknown>
  if (!isName(name) || typeof required !== 'boolean') return null
  const known = TYPES.find((word) => word === type) ?? null
  return { name, type: known, required, ...('default' in rest ? { default: rest['default'] } : {}) }
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= NAME_CHARACTERS_MAX
