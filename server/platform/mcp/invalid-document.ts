import { sentence } from '#errors'
import { AuthorizationError, cleanDetails } from './authorization-error.ts'

/** Sentences about an invalid document, by the document. */
type DocumentError =
  | 'mcp.authorization_invalid'
  | 'mcp.resource_metadata_invalid'
  | 'mcp.token_response_invalid'
  | 'mcp.registration_response_invalid'

/**
 * Converts an error of the SDK's schemas to an AuthorizationError that names the document and its first invalid field.
 * Returns other errors unchanged.
 */
export function nameDocument(error: unknown, document: DocumentError, host: string): unknown {
  const details = invalidFieldOf(error)
  return details === null ? error : new AuthorizationError('invalid', sentence(document, { host, details }))
}

/** Describes the first field that fails the SDK's schema. Returns null if the error is not a validation error. */
function invalidFieldOf(error: unknown): string | null {
  const { issues } = (error ?? {}) as { issues?: { path: PropertyKey[] }[] }
  if (!Array.isArray(issues)) return error instanceof SyntaxError ? 'it is no JSON' : null
  const path = issues[0]?.path.map(String).join('.') ?? ''
  return `${cleanDetails(path, []) || 'it'} is not valid`
}
