import { fail, type PlainErrorCode } from '#errors'

/**
 * Returns whether a statement violated a unique constraint (SQLSTATE 23505). Also accepts Drizzle's errors, whose
 * cause is the driver's error.
 */
export const isUniqueViolation = (error: unknown): boolean => sqlStateOf(error) === '23505'

/**
 * Handles the rejection of a write, for `.catch(…)`. Throws an error with `code` for a unique violation, and rethrows
 * every other error.
 */
export const onUniqueViolation =
  (code: PlainErrorCode) =>
  (error: unknown): never => {
    throw isUniqueViolation(error) ? fail(code, {}, { cause: error }) : error
  }

/**
 * Returns whether a statement violated a foreign key (SQLSTATE 23503): a referenced row is missing, or a row to
 * delete is still referenced.
 */
export const isForeignKeyViolation = (error: unknown): boolean => sqlStateOf(error) === '23503'

/**
 * Handles the rejection of a write, for `.catch(…)`. Throws an error with `code` for a foreign key violation, and
 * rethrows every other error.
 */
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
