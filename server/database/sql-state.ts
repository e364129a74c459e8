import { type AppError, fail, type LookupErrorCode, type PlainErrorCode, SECRET_VALUE } from '#errors'

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

/** Like onForeignKeyViolation, for a record that the request refers to. */
export const onMissingReference =
  (code: LookupErrorCode) =>
  (error: unknown): never => {
    throw isForeignKeyViolation(error) ? referenceMissing(code, error) : error
  }

/** Returns the error for a foreign key violation, with the missing id. */
export const referenceMissing = (code: LookupErrorCode, error: unknown): AppError =>
  fail(code, { value: missingId(error) ?? SECRET_VALUE }, { cause: error })

/** PostgreSQL's words: `Key (organization_id, kb_id)=(1, 2) is not present in table "knowledge_bases".` */
const KEY = /^Key \((?<columns>[^)]+)\)=\((?<values>[^)]+)\)/

function missingId(error: unknown): string | undefined {
  const { detail, cause } = (error ?? {}) as { detail?: unknown; cause?: unknown }
  const { columns, values } = KEY.exec(String(detail))?.groups ?? {}
  if (columns === undefined) return cause === undefined ? undefined : missingId(cause)
  const at = columns.split(', ').findIndex((column) => column !== 'organization_id')
  return values?.split(', ')[at]
}

/** Returns the SQLSTATE of a failed statement, or undefined if the error has none. */
export function sqlStateOf(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown }
  if (typeof code === 'string' && /^[\dA-Z]{5}$/.test(code)) return code
  return cause === undefined ? undefined : sqlStateOf(cause)
}
