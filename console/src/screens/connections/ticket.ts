/**
 * The one-time ticket of a connection that waits for confirmation. It comes in the fragment of the address and is kept
 * for this tab, so that it survives every way of signing in and stays out of addresses, histories and logs.
 */
const KEY = 'parley.mcp_ticket'

export const keepTicket = (ticket: string): void => sessionStorage.setItem(KEY, ticket)

export const readTicket = (): string | null => sessionStorage.getItem(KEY)

export const forgetTicket = (): void => sessionStorage.removeItem(KEY)
