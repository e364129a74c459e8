import type { Operation } from './contract.ts'
import type { BadRequest } from './spoil.ts'
import { faultsOf } from './validate.ts'

export interface RawAnswer {
  /** The HTTP status, or 0 if there was no response. */
  status: number
  headers: Headers
  bytes: Buffer
}

const ERROR_BYTES_MAX = 16 * 1024
const ANSWER_BYTES_MAX = 4 * 1024 * 1024
/** Statuses that every operation can return, because the HTTP server rejects such a request before routing. */
const BEFORE_THE_ROUTE = [400, 404, 405, 408, 413, 414, 415, 431]
/** Statuses for a failure of another system. openapi.json documents them where they are allowed. */
const ELSEWHERE = [502, 503]
const INSIDES =
  /node_modules|\bat .{1,80}\.[tj]s:\d|syntax error at or near|\binsert into\b|\bselect .{1,80} from "/i

/** Returns the faults of a response that no operation may have, such as a 5xx status or internal details. */
export function faultsIn(operation: Operation, request: BadRequest, answer: RawAnswer): string[] {
  const { status, headers, bytes } = answer
  const text = bytes.toString('utf8')
  const shown = `${status} ${text.slice(0, 200)}`
  if (status === 0) return request.mayBeCutOff ? [] : [`no response: ${text}`]
  const faults: string[] = []
  const isJson = headers.get('content-type')?.startsWith('application/json') === true
  const isError = status >= 400
  if (status >= 500 && !ELSEWHERE.includes(status)) faults.push(shown)
  if (bytes.length > (isError ? ERROR_BYTES_MAX : ANSWER_BYTES_MAX))
    faults.push(`${status} with ${bytes.length} bytes: ${text.slice(0, 100)}`)
  if (isError && INSIDES.test(text)) faults.push(`reveals internals: ${shown}`)
  if (isError && !isJson) faults.push(`an error that is not JSON: ${shown}`)
  if (!isJson) return faults
  const body = parse(text)
  if (body === undefined) return [...faults, `not JSON: ${shown}`]
  if (isError && !hasSentence(request.path, body)) faults.push(`an error without a sentence: ${shown}`)
  // The schemas describe a body without the envelope of /v1.
  if (request.path.startsWith('/v1/')) return faults
  const differences = faultsOf({ operation, status, body })
  if (differences === null && !BEFORE_THE_ROUTE.includes(status))
    faults.push(`a status missing in openapi.json: ${shown}`)
  for (const { instancePath, message } of differences ?? [])
    faults.push(`does not match openapi.json: ${instancePath} ${message}: ${shown}`)
  return faults
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function hasSentence(path: string, body: unknown): boolean {
  const { detail, status, error } = (body ?? {}) as Record<string, unknown>
  const { message, code } = (error ?? {}) as Record<string, unknown>
  const isText = (value: unknown): boolean => typeof value === 'string' && value.length > 0
  if (path.startsWith('/v1/')) return status === 'error' && isText(message) && isText(code)
  return /^\/(openai|anthropic)\//.test(path) ? isText(message) || isText(detail) : isText(detail)
}
