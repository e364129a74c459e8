import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '#config'
import { fail, sentence } from '#errors'
import { type Cookie, clearCookie, setCookie } from '#platform/http/cookies.ts'
import type { Presented } from '#platform/http/define-route.ts'
import { SESSION_SECONDS } from './sessions-system.ts'

/** Path prefixes of the refresh and logout routes, under /api and under /v1. Other routes never receive the cookie. */
const PATHS = ['/api/auth', '/v1/auth']

interface Tokens {
  refresh_token?: string
}

/** Keeps the refresh token in a cookie that scripts cannot read, for browsers that request `session: 'cookie'`. */
export class SessionCookie {
  readonly name: string
  readonly #cookies: readonly Cookie[]
  readonly #origins: readonly string[]

  constructor({ baseUrl, frontendUrl }: Pick<Config, 'baseUrl' | 'frontendUrl'>) {
    const { protocol, port } = new URL(baseUrl)
    const isSecure = protocol === 'https:'
    // Without HTTPS, the name contains the port, because servers on different ports of a host share cookies.
    this.name = isSecure ? '__Secure-parley_refresh' : `parley_refresh${port && `_${port}`}`
    this.#cookies = PATHS.map((path) => ({ name: this.name, path, sameSite: 'Strict', isSecure }))
    this.#origins = [baseUrl, frontendUrl].map((url) => new URL(url).origin)
  }

  /** Moves the refresh token of a response into the cookie if `shouldConceal`. */
  conceal<A extends Tokens>(answer: A, shouldConceal: boolean): Presented<A> {
    const { refresh_token: token, ...rest } = answer
    if (!shouldConceal || token === undefined) return { answer, headers: {} }
    const lines = this.#cookies.map((cookie) => setCookie(cookie, token, SESSION_SECONDS))
    return { answer: rest as A, headers: { 'Set-Cookie': lines } }
  }

  clear(): Record<string, string[]> {
    return { 'Set-Cookie': this.#cookies.map(clearCookie) }
  }

  /**
   * Returns a request's refresh token: from the body, or else from the cookie. Returns null if a page of this server
   * has none. If no page of this server sent the request, throws auth.cookie_origin for a cookie, and request.invalid
   * without one.
   */
  tokenOf({ refresh_token: token }: Tokens, headers: IncomingHttpHeaders, cookie: string | null) {
    if (token !== undefined) return token
    if (this.#isOwnPage(headers)) return cookie
    if (cookie !== null) throw fail('auth.cookie_origin')
    throw fail('request.invalid', { reason: sentence('auth.refresh_token_needed') })
  }

  /**
   * Returns whether a page of this server sent the request. Checks Sec-Fetch-Site, or Origin if it is missing,
   * because browsers send Sec-Fetch-Site only from HTTPS and loopback origins.
   */
  #isOwnPage({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
    if (site === 'same-origin' || (origin !== undefined && this.#origins.includes(origin))) return true
    return site === undefined && origin !== undefined && URL.parse(origin)?.host === host
  }
}
