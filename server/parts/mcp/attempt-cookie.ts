import type { Config } from '#config'
import { type Cookie, clearCookie, readCookie, setCookie } from '#platform/http/cookies.ts'
import type { Presented } from '#platform/http/define-route.ts'
import { hashToken, newToken } from '#platform/secrets/secrets.ts'
import type { ConnectionAttempt } from './schemas.ts'

/** Enough of the state's hash that attempts of one browser don't share a name. */
const NAME_CHARACTERS = 16

/** A cookie that lets the browser that began an attempt finish it, and its hash for the attempt's row. */
export interface AttemptCookie {
  header: string
  hash: string
}

/** Makes the cookie of an attempt. Each state has its own, so attempts in several tabs don't replace each other's. */
export function makeAttemptCookie(config: SiteConfig, state: string, seconds: number): AttemptCookie {
  const secret = newToken('ac')
  return { header: setCookie(cookieOf(config, state), secret, seconds), hash: hashToken(secret) }
}

/** Returns the hash of the cookie that a browser has for a state; null if it has none. */
export function readAttemptCookie(
  config: SiteConfig,
  state: string,
  cookies: string | undefined,
): string | null {
  const secret = readCookie(cookies, cookieOf(config, state).name)
  return secret === null ? null : hashToken(secret)
}

/** Has the browser forget the cookie of a state. */
export const clearAttemptCookie = (config: SiteConfig, state: string): string =>
  clearCookie(cookieOf(config, state))

/** Takes the cookie out of connect_account's answer, where scripts would see it, and into a header. */
export function moveCookieToHeader(answer: ConnectionAttempt): Presented<ConnectionAttempt> {
  if (!('cookie' in answer)) return { answer, headers: {} }
  const { cookie, ...body } = answer
  return { answer: body, headers: typeof cookie === 'string' ? { 'Set-Cookie': cookie } : {} }
}

type SiteConfig = Pick<Config, 'baseUrl'>

/**
 * `__Host-`: no other host of the site, and no page over http, can set it (RFC 6265bis, 4.1.3.2). Lax: the provider
 * sends the browser back by a top-level navigation from another site.
 */
function cookieOf({ baseUrl }: SiteConfig, state: string): Cookie {
  const isSecure = baseUrl.startsWith('https:')
  const name = `${isSecure ? '__Host-' : ''}parley_mcp_${hashToken(state).slice(0, NAME_CHARACTERS)}`
  return { name, path: '/', sameSite: 'Lax', isSecure }
}
