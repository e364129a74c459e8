/** No space, or no quota, for a file; and PostgreSQL's disk_full. */
const CODES: readonly unknown[] = ['ENOSPC', 'EDQUOT', '53100']

/** Returns whether an error, or its cause, says that a disk is full: that of this server or of its PostgreSQL. */
export function isDiskFull(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown }
  return CODES.includes(code) || (cause !== undefined && isDiskFull(cause))
}
