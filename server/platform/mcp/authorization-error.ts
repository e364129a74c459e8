import { sentence } from '#errors'

/**
 * Why nobody is authorized. The message is a sentence for the person, without secrets. `refused`: the authorization
 * server, or the person at it, said no; `unreachable`: later it may work; `invalid`: what the server or its documents
 * say is not followed; `no_registration`: an administrator has to set a client.
 */
export class AuthorizationError extends Error {
  override readonly name = 'AuthorizationError'
  readonly kind: 'refused' | 'unreachable' | 'invalid' | 'no_registration'
  /** The authorization server does not know the client any more: a registered one is to be forgotten. */
  readonly isClientUnknown: boolean

  constructor(kind: AuthorizationError['kind'], message: string, isClientUnknown = false) {
    super(message)
    this.kind = kind
    this.isClientUnknown = isClientUnknown
  }
}

const SAID_CHARACTERS_MAX = 10_000
const DETAILS_CHARACTERS_MAX = 300
/** The authorization server is not well, or could not be understood, which says nothing about the grant. */
const PASSING = ['server_error', 'temporarily_unavailable', 'too_many_requests', 'slow_down']

/** What an authorization server said no with (RFC 6749, 4.1.2.1 and 5.2). */
export function refusalOf(
  code: string,
  description: string | undefined,
  host: string,
  secrets: string[] = [],
): AuthorizationError {
  // The description of a server_error may be all that the server has sent.
  if (code === 'server_error')
    return new AuthorizationError('unreachable', sentence('mcp.authorization_down', { host }))
  const kind = PASSING.includes(code) ? 'unreachable' : 'refused'
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

/** What a stranger said, as a part of a sentence: one bounded line, without the secrets that he was told. */
export function cleanDetails(text: string, secrets: string[]): string {
  let clean = text.slice(0, SAID_CHARACTERS_MAX)
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, '…')
  clean = clean.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return clean.length > DETAILS_CHARACTERS_MAX ? `${clean.slice(0, DETAILS_CHARACTERS_MAX)}…` : clean
}
