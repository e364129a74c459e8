/** A statement that failed because the database is down, silent, or refuses connections. It can succeed later. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
  /** True if the connection of the statement broke, and with it its transaction. */
  readonly isLoss: boolean

  constructor(cause?: unknown) {
    super('the database is unavailable', { cause })
    this.isLoss = LOSSES.includes((cause as { code?: string } | undefined)?.code ?? '')
  }
}

/** Errors of connections that have been open. Others concern new connections. */
const LOSSES = ['CONNECTION_CLOSED', 'CONNECTION_DESTROYED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']

/**
 * Classes of SQLSTATE that concern the server and not the statement: connection exceptions, insufficient resources
 * (such as connections), and operator intervention (a shutdown or a start in progress).
 */
const OF_SERVER = /^(?:08|53|57P)/

/**
 * Converts the failure of a statement to DatabaseUnavailable if the server or the connection failed, and returns any
 * other error unchanged.
 */
export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable) return error
  const { code } = error as { code?: unknown }
  // Errors of sockets, and of the driver's connections, have an errno. Errors of statements have none.
  const isOfConnection = 'errno' in error || OF_SERVER.test(String(code))
  return isOfConnection ? new DatabaseUnavailable(error) : error
}

/** Returns whether an error, or its cause, is a DatabaseUnavailable. Drizzle wraps the driver's errors. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable || (error instanceof Error && isUnavailable(error.cause))
