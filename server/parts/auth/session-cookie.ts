import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '#config'
import { fail } from '#errors'
import { type Cookie, clearCookie, setCookie } from '#platform/http/cookies.ts'
import type { Presented } from '#platform/http/define-route.ts'
import { SESSION_SECONDS } from './sessions-system.ts'

/** Where refresh and logout are, each also under /v1: no other route gets the cookie. */
const PATHS = ['/api/auth', '/v1/auth']

interface Tokens {
  refresh_token?: string
}

/** The refresh token of a browser that asked for `session: 'cookie'`: scripts of a page never see it. */
export class SessionCookie {
  readonly name: string
  readonly #cookies: readonly Cookie[]
  readonly #origins: readonly string[]

  constructor({ baseUrl, frontendUrl }: Pick<Config, 'baseUrl' | 'frontendUrl'>) {
    const { protocol, port } = new URL(baseUrl)
    const isSecure = protocol === 'https:'
    // Servers on other ports of one host share its cookies, so that each needs a name of its own.
    this.name = isSecure ? '__Secure-parley_refresh' : `parley_refresh${port && `_${port}`}`
    this.#cookies = PATHS.map((path) => ({ name: this.name, path, sameSite: 'Strict', isSecure }))
    this.#origins = [baseUrl, frontendUrl].map((url) => new URL(url).origin)
  }

  /** Moves the refresh token of an answer into the cookie, where `shouldConceal` says so. */
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
   * Returns the refresh token of a request: from the body, or for a page of ours from the cookie; null without either.
   * Throws auth.cookie_origin.
   */
  tokenOf({ refresh_token: token }: Tokens, headers: IncomingHttpHeaders, cookie: string | null) {
    if (token !== undefined) return token
    if (!this.#isOwnPage(headers)) throw fail('auth.cookie_origin')
    return cookie
  }

  /** Browsers send Sec-Fetch-Site from https and loopback only. Elsewhere the Origin of a POST has to do. */
  #isOwnPage({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
    if (site === 'same-origin' || (origin !== undefined && this.#origins.includes(origin))) return true
    return site === undefined && origin !== undefined && URL.parse(origin)?.host === host
  }
}
