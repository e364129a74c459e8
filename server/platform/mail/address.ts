import { fail } from '#errors'

/** Normalizes an email address for storage and comparison, so that case variants belong to one account. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

/** Domain of the internal users that own the visitors of a deployment (migration 0015). */
const VISITORS = '@deployment.invalid'
/** Domain for accounts that are being deleted, which frees their addresses. */
const LEAVING = '@leaving.invalid'

export const leavingAddress = (userId: string): string => userId + LEAVING

/** Throws auth.email_reserved for an address with a reserved domain. */
export function refuseReserved(email: string): void {
  const address = normalizeEmail(email)
  if (address.endsWith(VISITORS) || address.endsWith(LEAVING)) throw fail('auth.email_reserved')
}
