/**
 * The single-use ticket of a connection that waits for confirmation. It arrives in the fragment of the URL and is kept in
 * the session storage of the tab. There it survives sign-in, and stays out of URLs, the history and logs.
 */
const KEY = 'parley.mcp_ticket'

export const keepTicket = (ticket: string): void => sessionStorage.setItem(KEY, ticket)

export const readTicket = (): string | null => sessionStorage.getItem(KEY)

export const forgetTicket = (): void => sessionStorage.removeItem(KEY)
