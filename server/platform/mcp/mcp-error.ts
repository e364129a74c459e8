import { sentence } from '#errors'
export type McpErrorKind =
  | 'unreachable'
  | 'timeout'
  | 'unauthorized'
  | 'insufficient_scope'
  | 'refused'
  | 'protocol'
  | 'too_large'

/** A failed request to an MCP server. The message is for the user. */
export class McpError extends Error {
  override readonly name = 'McpError'
  readonly kind: McpErrorKind
  /** For insufficient_scope: the scope that the server requires. */
  readonly scope: string | undefined
  /**
   * For unauthorized and insufficient_scope: the WWW-Authenticate header, which starts the discovery of the
   * authorization server.
   */
  readonly challenge: string | undefined

  constructor(
    kind: McpErrorKind,
    message: string,
    details: { scope?: string | undefined; challenge?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause })
    this.kind = kind
    this.scope = details.scope
    this.challenge = details.challenge
  }
}

/** Thrown if the server no longer knows the session. The connection has to be reopened. */
export class SessionLost extends Error {
  override readonly name = 'SessionLost'
}

export const tooSlow = (host: string, milliseconds: number): McpError =>
  new McpError('timeout', sentence('mcp.no_answer', { host, seconds: milliseconds / 1000 }))

export const tooLarge = (host: string, bytesMax: number): McpError =>
  new McpError(
    'too_large',
    sentence('mcp.answer_too_large', { host, megabytes: Math.floor(bytesMax / 1024 / 1024) }),
  )
