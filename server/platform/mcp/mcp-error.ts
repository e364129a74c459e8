import { sentence } from '#errors'
import type { McpToolResult } from './connection.ts'

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
  /** The server's JSON-RPC error. Undefined if only the status shows that the session is lost. */
  readonly details: string | undefined
  /** The result of a tool that reports the loss. It counts if the tool reports it again in a new session. */
  readonly result: McpToolResult | undefined

  constructor(details?: string, result?: McpToolResult) {
    super(details)
    this.details = details
    this.result = result
  }
}

export const tooSlow = (host: string, milliseconds: number): McpError =>
  new McpError('timeout', sentence('mcp.no_answer', { host, seconds: milliseconds / 1000 }))

export const tooLarge = (host: string, bytesMax: number): McpError =>
  new McpError(
    'too_large',
    sentence('mcp.answer_too_large', { host, megabytes: Math.floor(bytesMax / 1024 / 1024) }),
  )

const WORDS_CHARACTERS_MAX = 500

/** Puts a server's message on one line, and truncates it. */
export const onOneLine = (message: string): string =>
  message
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, WORDS_CHARACTERS_MAX)
