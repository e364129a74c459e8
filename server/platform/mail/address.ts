import { fail } from '#errors'

/** An email address as it is stored and compared: one person, one account, whatever the case. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()

/** Users who stand for the visitors of a deployment have one of these, and are no people (migration 0015). */
const VISITORS = '@deployment.invalid'

/** Throws auth.email_reserved for an address that no person can have. */
export function refuseReserved(email: string): void {
  if (normalizeEmail(email).endsWith(VISITORS)) throw fail('auth.email_reserved')
}
