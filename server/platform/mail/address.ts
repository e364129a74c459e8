import { fail } from '#errors'

/**
 * Normalizes an email address for storage and comparison. Addresses that differ only in case belong to one account.
 */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

/** Domain of the internal users that own the visitors of a deployment (migration 0015). */
const VISITORS = '@deployment.invalid'
/**
 * Domain of the placeholder addresses of accounts that are being deleted. The original addresses can be used again.
 */
const LEAVING = '@leaving.invalid'

export const leavingAddress = (userId: string): string => userId + LEAVING

/** Throws auth.email_reserved if the address has a reserved domain. */
export function refuseReserved(email: string): void {
  const address = normalizeEmail(email)
  if (address.endsWith(VISITORS) || address.endsWith(LEAVING)) throw fail('auth.email_reserved')
}
