import pino, { type Logger } from 'pino'
import type { Config } from '#config'
import type { Tracing } from './tracing.ts'

/** How many causes of an error are told. */
const CAUSES_MAX = 4

/**
 * JSON lines on standard output. Nothing that may hold a secret is in them: see describeError. What is written within a
 * trace carries its id.
 */
export const createLog = (config: Pick<Config, 'logLevel'>, tracing: Tracing | null = null): Logger =>
  pino({
    level: config.logLevel,
    base: null,
    serializers: { err: (error: unknown) => describeError(error, 0) },
    ...(tracing && { mixin: () => tracing.ids() ?? {} }),
  })

/**
 * An error without the values that it happened to hold: drivers attach a statement's parameters to their errors, and
 * write them into the message, and these may be a person's words or a key.
 */
function describeError(error: unknown, depth: number): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  return {
    type: error.name,
    message: withoutParameters(error.message),
    ...(code !== undefined && { code }),
    stack: error.stack?.replace(error.message, withoutParameters(error.message)),
    ...(cause !== undefined && depth < CAUSES_MAX && { cause: describeError(cause, depth + 1) }),
  }
}

/** Drizzle's messages end with the parameters on a line of their own. */
const withoutParameters = (message: string): string => message.split('\nparams:')[0] ?? ''
