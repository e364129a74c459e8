import pino, { type Logger } from 'pino'
import type { Config } from '#config'
import type { Tracing } from './tracing.ts'

/** Maximum depth of nested causes in a logged error. */
const CAUSES_MAX = 4

/**
 * Creates a logger that writes JSON lines to standard output. Errors are logged without parameter values
 * (describeError). Lines logged within a trace contain the trace's id.
 */
export const createLog = (config: Pick<Config, 'logLevel'>, tracing: Tracing | null = null): Logger =>
  pino({
    level: config.logLevel,
    base: null,
    serializers: { err: (error: unknown) => describeError(error, 0) },
    ...(tracing && { mixin: () => tracing.ids() ?? {} }),
  })

/**
 * Describes an error without the parameter values of a statement. Database drivers add these values to errors and
 * messages, and the values may contain user text or keys.
 */
function describeError(error: unknown, depth: number): object {
  // The job queue reports copies of errors, which are not instances of Error.
  if (!(error instanceof Error))
    return { message: String((error as { message?: unknown })?.message ?? error) }
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  return {
    type: error.name,
    message: withoutParameters(error.message),
    ...(code !== undefined && { code }),
    stack: error.stack?.replace(error.message, withoutParameters(error.message)),
    ...(cause !== undefined && depth < CAUSES_MAX && { cause: describeError(cause, depth + 1) }),
  }
}

/** Removes the parameters, which Drizzle appends to its messages on a separate line. */
const withoutParameters = (message: string): string => message.split('\nparams:')[0] ?? ''
