import { IssuerMismatchError, OAuthError } from '@modelcontextprotocol/client'
import { sentence } from '#errors'
import { FetchError } from '#platform/net/fetch-bounded.ts'
import { NetError } from '#platform/net/index.ts'
import { AuthorizationError, cleanDetails, refusalOf } from './authorization-error.ts'

/**
 * Maps a failed exchange with `host` to an AuthorizationError whose message contains none of `secrets`. Returns
 * unknown errors unchanged.
 */
export function asAuthorizationError(error: unknown, host: string, secrets: string[] = []): unknown {
  if (error instanceof AuthorizationError) return error
  if (error instanceof NetError) return new AuthorizationError('invalid', error.message)
  if (error instanceof FetchError) return new AuthorizationError('unreachable', error.message)
  if (error instanceof IssuerMismatchError)
    return new AuthorizationError(
      'invalid',
      sentence('mcp.authorization_issuer', { host: URL.parse(error.expected ?? '')?.host ?? host }),
    )
  if (error instanceof OAuthError) return refusalOf(error.code, error.message, host, secrets)
  const field = invalidFieldOf(error)
  if (field !== null)
    return new AuthorizationError('invalid', sentence('mcp.authorization_invalid', { host, details: field }))
  return error
}

/** Describes the first field that fails the SDK's schema. Returns null if the error is not a validation error. */
function invalidFieldOf(error: unknown): string | null {
  const { issues } = error as { issues?: { path: PropertyKey[] }[] }
  if (!Array.isArray(issues)) return error instanceof SyntaxError ? 'it is no JSON' : null
  const path = issues[0]?.path.map(String).join('.') ?? ''
  return `${cleanDetails(path, []) || 'it'} is not valid`
}
