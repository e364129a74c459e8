import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { sentence } from '#errors'
import { McpError, onOneLine, SessionLost } from './mcp-error.ts'

/**
 * Converts SDK errors to an McpError. If the error or one of its causes is an McpError or SessionLost, returns that
 * error unchanged.
 */
export function describeFailure(host: string, error: unknown): unknown {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 4; cause = cause.cause, depth++)
    if (cause instanceof McpError || cause instanceof SessionLost) return cause
  if (error instanceof ProtocolError)
    return new McpError('protocol', sentence('mcp.refused', { host, details: onOneLine(error.message) }), {
      cause: error,
    })
  if (error instanceof SdkHttpError) return describeStatus(host, error)
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return new McpError('timeout', sentence('mcp.late', { host }), { cause: error })
  return new McpError('protocol', sentence('mcp.not_mcp', { host }), { cause: error })
}

function describeStatus(host: string, error: SdkHttpError): McpError {
  const { status = 0 } = error.data
  const kind = status >= 500 ? 'unreachable' : 'refused'
  return new McpError(kind, sentence('mcp.status', { host, status }), { cause: error })
}
