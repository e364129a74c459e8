import { networkError, ParleyError } from '../error.ts'
import type { SignedIn, TokenPair } from '../schemas.ts'
import { singleFlight } from '../single-flight.ts'
import { createTransport, type TokenSource } from '../transport.ts'

/**
 * The access token of the signed-in user, kept in localStorage so that it outlives the tab. The refresh token is in an
 * HttpOnly cookie, which only the server reads.
 */
interface StoredSession {
  accessToken: string
  /** Milliseconds since 1970. */
  expiresAt: number
}

const KEY = 'parley.session'
/** A token is refreshed when less than this is left of its life. */
const MARGIN_MS = 30_000
const LOCK = 'parley.renewal'
/** Set from a sign-out until the server has ended the session: a cookie cannot be deleted offline. */
const ENDING = 'parley.ending'

/** The session of a browser, shared by its tabs: a source of tokens that refreshes them, once for all tabs. */
export class BrowserSession implements TokenSource {
  readonly #listeners = new Set<() => void>()
  /** The cookie comes along. */
  readonly #send = createTransport({})
  readonly #refresh = singleFlight(() => alone(() => this.#refreshAlone()))
  #session: StoredSession | null = parse(localStorage.getItem(KEY))
  #ending: Promise<void> | undefined

  constructor() {
    // Another tab has signed in or out, or has refreshed the token.
    window.addEventListener('storage', ({ key, newValue }) => {
      if (key !== KEY && key !== null) return
      this.#session = parse(key === null ? null : newValue)
      this.#notify()
    })
    window.addEventListener('online', () => this.#endUnfinished())
    this.#endUnfinished()
    // Earlier versions kept the refresh token here.
    if (this.#session === null) localStorage.removeItem(KEY)
  }

  /** Whether a user is signed in; true until the server says otherwise. */
  readonly isSignedIn = (): boolean => this.#session !== null

  /** Calls back when a user signs in or out, in any tab. Returns how to stop it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Keeps the tokens of a sign-in. Ends the session that this browser had before. */
  signIn(tokens: SignedIn | TokenPair): void {
    const replaced = this.#session
    localStorage.removeItem(ENDING)
    this.#keep(sessionOf(tokens))
    if (replaced) void this.#endReplaced(replaced).catch(() => {})
  }

  /** Forgets the token in all tabs, and ends the session on the server. */
  signOut(): void {
    if (this.#session === null) return
    this.#keep(null)
    localStorage.setItem(ENDING, '1')
    this.#end()
  }

  /**
   * Returns an access token that has not expired, or null if no user is signed in. Throws a ParleyError if it had to be
   * refreshed and could not: the user stays signed in.
   */
  async token(): Promise<string | null> {
    if (this.#session === null) {
      // A sign-in that overtakes the sign-out before it would lose its cookie.
      await this.#ending
      return null
    }
    if (this.#session.expiresAt - Date.now() > MARGIN_MS) return this.#session.accessToken
    return this.#refresh()
  }

  async renew(refused: string): Promise<string | null> {
    return this.#session?.accessToken === refused ? this.#refresh() : this.token()
  }

  /** A refresh token that is used twice ends the session, so only one tab refreshes at a time. */
  async #refreshAlone(): Promise<string | null> {
    const stale = this.#session?.accessToken
    const current = parse(localStorage.getItem(KEY))
    if (current === null || current.accessToken !== stale) {
      this.#session = current
      return current?.accessToken ?? null
    }
    const renewed = await this.#askForTokens()
    if (renewed === null) {
      this.#keep(null)
      return null
    }
    // Another tab may have signed out in the meantime.
    if (parse(localStorage.getItem(KEY))?.accessToken === stale) this.#keep(renewed)
    return this.#session?.accessToken ?? null
  }

  /** Returns null if the server knows the session no more. Other failures say nothing about it, and are thrown. */
  async #askForTokens(): Promise<StoredSession | null> {
    try {
      const answer = await this.#post('/api/auth/refresh')
      return sessionOf((await answer.json()) as TokenPair)
    } catch (error) {
      if (error instanceof ParleyError && error.status === 401) return null
      throw error instanceof ParleyError ? error : networkError(error)
    }
  }

  /** Ends the session of the cookie. Without a connection it is tried again when there is one, or on the next visit. */
  #end(): void {
    this.#ending ??= alone(() => this.#post('/api/auth/logout'))
      .then(() => localStorage.removeItem(ENDING))
      .catch(() => {})
      .finally(() => {
        this.#ending = undefined
      })
  }

  #endUnfinished(): void {
    if (this.#session === null && localStorage.getItem(ENDING) !== null) this.#end()
  }

  /** The cookie is the new session's by now. The access token names the old one. */
  async #endReplaced({ accessToken }: StoredSession): Promise<void> {
    const payload = (accessToken.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    const { sid } = JSON.parse(atob(payload)) as { sid: string }
    await this.#send(`/api/auth/sessions?session_id=${sid}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${accessToken}` },
      keepalive: true,
    })
  }

  #post(path: string): Promise<Response> {
    return this.#send(path, { method: 'POST', keepalive: true })
  }

  #keep(next: StoredSession | null): void {
    this.#session = next
    if (next) localStorage.setItem(KEY, JSON.stringify(next))
    else localStorage.removeItem(KEY)
    this.#notify()
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** Pages that are not served over HTTPS have no locks. There, the server accepts a refresh token twice within 10 seconds. */
const alone = <T>(work: () => Promise<T>): Promise<T> =>
  navigator.locks ? (navigator.locks.request(LOCK, work) as Promise<T>) : work()

const sessionOf = ({ access_token, expires_in }: TokenPair): StoredSession => ({
  accessToken: access_token,
  expiresAt: Date.now() + expires_in * 1000,
})

function parse(text: string | null): StoredSession | null {
  try {
    const stored = text === null ? null : (JSON.parse(text) as StoredSession)
    return stored === null || 'refreshToken' in stored ? null : stored
  } catch {
    return null
  }
}
