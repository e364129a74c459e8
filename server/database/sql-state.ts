import { fail, type PlainErrorCode } from '#errors'

/** A value that must be unique was there already (SQLSTATE 23505). Drizzle wraps the driver's error as its cause. */
export const isUniqueViolation = (error: unknown): boolean => sqlStateOf(error) === '23505'

/** For `.catch(…)` of a write: a value that was taken is told by this code, and every other failure stays what it is. */
export const onUniqueViolation =
  (code: PlainErrorCode) =>
  (error: unknown): never => {
    throw isUniqueViolation(error) ? fail(code, {}, { cause: error }) : error
  }

/** A row points to one that is not there, or is pointed to by one that stays (SQLSTATE 23503). */
export const isForeignKeyViolation = (error: unknown): boolean => sqlStateOf(error) === '23503'

/** For `.catch(…)` of a write: what the row points to is gone. */
export const onForeignKeyViolation =
  (code: PlainErrorCode) =>
  (error: unknown): never => {
    throw isForeignKeyViolation(error) ? fail(code, {}, { cause: error }) : error
  }

/** The SQLSTATE of a failed statement, where the error has one. */
export function sqlStateOf(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown }
  if (typeof code === 'string' && /^[\dA-Z]{5}$/.test(code)) return code
  return cause === undefined ? undefined : sqlStateOf(cause)
}
