import { fail } from '#errors'

/** An email address as it is stored and compared: one person, one account, whatever the case. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

/** Users who stand for the visitors of a deployment have one of these, and are no people (migration 0015). */
const VISITORS = '@deployment.invalid'
/** Accounts that are being deleted have one of these, so that their addresses are free. */
const LEAVING = '@leaving.invalid'

export const leavingAddress = (userId: string): string => userId + LEAVING

/** Throws auth.email_reserved for an address that no person can have. */
export function refuseReserved(email: string): void {
  const address = normalizeEmail(email)
  if (address.endsWith(VISITORS) || address.endsWith(LEAVING)) throw fail('auth.email_reserved')
}
