import { IssuerMismatchError, OAuthError } from '@modelcontextprotocol/client'
import { sentence } from '#errors'
import { FetchError } from '#platform/net/fetch-bounded.ts'
import { NetError } from '#platform/net/index.ts'
import { AuthorizationError, refusalOf } from './authorization-error.ts'

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
  return error
}
