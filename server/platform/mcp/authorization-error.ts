import { sentence } from '#errors'

/**
 * A failed authorization. The message is for the user and contains no secrets. The kinds:
 * - `refused`: the authorization server or the user refused
 * - `unreachable`: a temporary failure; retry later
 * - `invalid`: the server's response or metadata is unusable
 * - `no_registration`: an administrator has to configure a client
 */
export class AuthorizationError extends Error {
  override readonly name = 'AuthorizationError'
  readonly kind: 'refused' | 'unreachable' | 'invalid' | 'no_registration'
  /**
   * True if the authorization server no longer knows the client. A dynamically registered client must then be
   * deleted.
   */
  readonly isClientUnknown: boolean

  constructor(kind: AuthorizationError['kind'], message: string, isClientUnknown = false) {
    super(message)
    this.kind = kind
    this.isClientUnknown = isClientUnknown
  }
}

const EXAMINED_CHARACTERS_MAX = 10_000
const DETAILS_CHARACTERS_MAX = 300
/** Temporary errors of the authorization server. The grant may still be valid. */
const TEMPORARY_ERRORS = ['server_error', 'temporarily_unavailable', 'too_many_requests', 'slow_down']

/** Converts an OAuth error response (RFC 6749, 4.1.2.1 and 5.2) to an AuthorizationError. */
export function refusalOf(
  code: string,
  description: string | undefined,
  host: string,
  secrets: string[] = [],
): AuthorizationError {
  // Omit the description: for server_error, it may be the server's entire response body.
  if (code === 'server_error')
    return new AuthorizationError('unreachable', sentence('mcp.authorization_down', { host }))
  const kind = TEMPORARY_ERRORS.includes(code) ? 'unreachable' : 'refused'
  const details = cleanDetails(
    [code, description === code ? '' : description].filter(Boolean).join(': '),
    secrets,
  )
  return new AuthorizationError(
    kind,
    sentence('mcp.authorization_refused', { host, details }),
    code === 'invalid_client',
  )
}

/** Reduces untrusted text to one short line for an error message, and masks `secrets`. */
export function cleanDetails(text: string, secrets: string[]): string {
  let clean = text.slice(0, EXAMINED_CHARACTERS_MAX)
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, '…')
  clean = clean.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return clean.length > DETAILS_CHARACTERS_MAX ? `${clean.slice(0, DETAILS_CHARACTERS_MAX)}…` : clean
}
