import { DatabaseUnavailable } from '#database/unavailable.ts'
import { AppError } from '#errors'
import { ModelError } from '#platform/models/types.ts'
import { currentWork } from './running.ts'

/** Time in which the log has one line for each kind of fault, and then one with the number of further ones. */
const INTERVAL_MS = 60_000
const CAUSES_MAX = 4
const CAUSE_CHARACTERS_MAX = 300

interface FaultLog {
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Ids and names that say which work failed. */
type Fields = Readonly<Record<string, string | number | null | undefined>>

/** Further faults of a kind since its first line. */
interface Repeats {
  count: number
  last: Fields
}

/** The open intervals by log and by kind of fault. The kinds are messages of the code, error codes and providers. */
const intervals = new WeakMap<FaultLog, Map<string, Repeats>>()

/**
 * Logs a failure that people may have to trace. An expected one, which fails many requests alike while a dependency is
 * down, is one line without a stack per kind and minute, and another one with the count of further ones. An unexpected
 * error is logged in full each time. The line has the request, user and organization of the current work.
 *
 * @param fields `provider` distinguishes kinds
 */
export function logFault(
  log: FaultLog,
  error: unknown,
  fields: Fields,
  message: string,
  intervalMs = INTERVAL_MS,
): void {
  const work = currentWork()
  const ids = {
    ...(work?.requestId && { request_id: work.requestId }),
    ...(work?.userId && { user_id: work.userId }),
    ...(work?.organizationId && { organization_id: work.organizationId }),
    ...fields,
  }
  const code = codeOf(error)
  if (code === null) return log.error({ err: error, ...ids }, message)
  const kinds = intervals.get(log) ?? new Map<string, Repeats>()
  intervals.set(log, kinds)
  const kind = [message, code, fields['provider']].join(' ')
  const open = kinds.get(kind)
  if (open) {
    open.count += 1
    open.last = ids
    return
  }
  const { message: reason } = error as Error
  const cause = describeCauses(error)
  log.warn({ fault: code, reason, ...(cause && { cause }), ...ids }, message)
  kinds.set(kind, { count: 0, last: {} })
  setTimeout(() => {
    const { count, last } = kinds.get(kind) as Repeats
    kinds.delete(kind)
    if (count > 0) log.warn({ fault: code, more: count, last, seconds: intervalMs / 1_000 }, message)
  }, intervalMs).unref()
}

/** Returns the code of a failure that has a sentence for users. Null for an unexpected error. */
function codeOf(error: unknown): string | null {
  if (error instanceof DatabaseUnavailable) return 'server.no_database'
  if (error instanceof ModelError) return error.code
  return error instanceof AppError && error.code !== 'server.error' ? error.code : null
}

/** Returns the causes of an error in one line, without stacks and without the parameters of statements. */
function describeCauses(error: unknown): string {
  const causes: string[] = []
  let { cause } = error as { cause?: unknown }
  while (cause instanceof Error && causes.length < CAUSES_MAX) {
    const { code } = cause as { code?: unknown }
    const [line = ''] = cause.message.split('\n')
    causes.push(code === undefined ? line : `${code}: ${line}`)
    cause = cause.cause
  }
  return causes.join(' < ').slice(0, CAUSE_CHARACTERS_MAX)
}
