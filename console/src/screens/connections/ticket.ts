/**
 * Stores the single-use ticket of a connection that the user has to confirm. The ticket arrives in the URL's
 * fragment. sessionStorage keeps it during sign-in and keeps it out of URLs, the browser history and logs.
 */
const KEY = 'parley.mcp_ticket'

export const keepTicket = (ticket: string): void => sessionStorage.setItem(KEY, ticket)

export const readTicket = (): string | null => sessionStorage.getItem(KEY)

export const forgetTicket = (): void => sessionStorage.removeItem(KEY)
