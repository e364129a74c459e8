/** An email address as it is stored and compared: one person, one account, whatever the case. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase()
