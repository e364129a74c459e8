import { fail, type PlainErrorCode } from '#errors'

/** Returns whether a unique constraint was violated (SQLSTATE 23505). Drizzle wraps the driver's error as its cause. */
export const isUniqueViolation = (error: unknown): boolean => sqlStateOf(error) === '23505'

/** For `.catch(…)` of a write: reports a unique violation with this code and rethrows every other error. */
export const onUniqueViolation =
  (code: PlainErrorCode) =>
  (error: unknown): never => {
    throw isUniqueViolation(error) ? fail(code, {}, { cause: error }) : error
  }

/**
 * Returns whether a foreign key was violated (SQLSTATE 23503): the referenced row is missing, or a row that is being
 * deleted is still referenced.
 */
export const isForeignKeyViolation = (error: unknown): boolean => sqlStateOf(error) === '23503'

/** For `.catch(…)` of a write: reports a missing referenced row with this code and rethrows every other error. */
export const onForeignKeyViolation =
  (code: PlainErrorCode) =>
  (error: unknown): never => {
    throw isForeignKeyViolation(error) ? fail(code, {}, { cause: error }) : error
  }

/** Returns the SQLSTATE of a failed statement, or undefined if the error has none. */
export function sqlStateOf(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown }
  if (typeof code === 'string' && /^[\dA-Z]{5}$/.test(code)) return code
  return cause === undefined ? undefined : sqlStateOf(cause)
}
