import type { FastifyRequest } from 'fastify'
import type { AppError } from '#errors'

/**
 * Returns an error that says that a record was not found, with the field of the request that has the value, such as
 * `knowledge_base_ids.1`. If no field has it, or for other errors, returns the same error.
 */
export function nameField(
  error: AppError,
  request: Pick<FastifyRequest, 'query' | 'params' | 'body'>,
): AppError {
  const value = error.lookedUp
  if (value === undefined || value === '') return error
  const usual = String(error.values?.['field'])
  const isIt = isSame(value)
  const parts = [request.query, request.params, request.body]
  const isUsual = parts.some((part) => isIt((part as Record<string, unknown> | undefined)?.[usual]))
  const field = isUsual ? usual : parts.map((part) => pathOf(part, isIt)).find((path) => path !== undefined)
  return field === undefined || field === usual ? error : error.in(field)
}

/** Ids are looked up in lowercase. */
const isSame = (value: string) => {
  const lower = value.toLowerCase()
  return (given: unknown): boolean =>
    typeof given === 'string' && given.length === value.length && given.toLowerCase() === lower
}

/** Returns the path of the first such value, depth first. The nesting of a body is limited (json-body.ts). */
function pathOf(given: unknown, isIt: (given: unknown) => boolean): string | undefined {
  if (typeof given !== 'object' || given === null || Buffer.isBuffer(given)) return undefined
  for (const [name, child] of Object.entries(given)) {
    // The rest of a path, which a wildcard of the route's URL matches, has no name.
    if (isIt(child) && name !== '*') return name
    const below = pathOf(child, isIt)
    if (below !== undefined) return `${name}.${below}`
  }
  return undefined
}
