import { AuthorizationError } from '#platform/mcp/authorization-error.ts'
import { ComposioError } from '#platform/mcp/composio.ts'
import { McpError } from '#platform/mcp/mcp-error.ts'
import { NetError } from '#platform/net/index.ts'

/** What a person is told of a failure at a provider or a server; null: it is a fault of ours, and no matter of his. */
export function failureSentence(error: unknown): string | null {
  const isTold =
    error instanceof AuthorizationError ||
    error instanceof ComposioError ||
    error instanceof McpError ||
    error instanceof NetError
  if (isTold) return error.message
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return 'The provider did not answer in time.'
  return null
}
