import { networkError, ParleyError } from '../error.ts'
import type { SignedIn, TokenPair } from '../schemas.ts'
import { singleFlight } from '../single-flight.ts'
import { createTransport, type TokenSource } from '../transport.ts'

/**
 * The access token of the signed-in user. localStorage keeps it across tabs and visits. The refresh token is in an
 * HttpOnly cookie that scripts cannot read.
 */
interface StoredSession {
  accessToken: string
  /** Milliseconds since the Unix epoch. */
  expiresAt: number
}

const KEY = 'parley.session'
/** An access token is refreshed when less than this much of its lifetime is left. */
const MARGIN_MS = 30_000
const LOCK = 'parley.renewal'
/**
 * Set from sign-out until the server has ended the session: a page cannot delete the HttpOnly cookie, and may be
 * offline.
 */
const ENDING = 'parley.ending'

/** The session of a browser, shared by its tabs. A TokenSource that refreshes each token once for all tabs. */
export class BrowserSession implements TokenSource {
  readonly #listeners = new Set<() => void>()
  /** Same-origin requests send the refresh cookie. */
  readonly #send = createTransport({})
  readonly #refresh = singleFlight(() => alone(() => this.#refreshAlone()))
  #session: StoredSession | null = parse(localStorage.getItem(KEY))
  #ending: Promise<void> | undefined

  constructor() {
    // Another tab signed in or out, or refreshed the token.
    window.addEventListener('storage', ({ key, newValue }) => {
      if (key !== KEY && key !== null) return
      this.#session = parse(key === null ? null : newValue)
      this.#notify()
    })
    window.addEventListener('online', () => this.#endUnfinished())
    this.#endUnfinished()
    // Earlier versions stored the refresh token under this key.
    if (this.#session === null) localStorage.removeItem(KEY)
  }

  /** Returns whether a user is signed in. Stays true until the server rejects the session. */
  readonly isSignedIn = (): boolean => this.#session !== null

  /** Calls `listener` when a user signs in or out, in any tab. Returns a function that unsubscribes. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Stores the tokens of a sign-in. Ends the previous session of this browser, if there was one. */
  signIn(tokens: SignedIn | TokenPair): void {
    const replaced = this.#session
    localStorage.removeItem(ENDING)
    this.#keep(sessionOf(tokens))
    if (replaced) void this.#endReplaced(replaced).catch(() => {})
  }

  /** Deletes the token in all tabs and ends the session on the server. */
  signOut(): void {
    if (this.#session === null) return
    this.#keep(null)
    localStorage.setItem(ENDING, '1')
    this.#end()
  }

  /**
   * Returns an access token that has not expired, or null if no user is signed in. Throws a ParleyError if the token
   * had to be refreshed and the refresh failed; the user stays signed in.
   */
  async token(): Promise<string | null> {
    if (this.#session === null) {
      // Wait for a pending sign-out: its answer would otherwise delete the cookie of the next sign-in.
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
    // Another tab may have signed out during the refresh.
    if (parse(localStorage.getItem(KEY))?.accessToken === stale) this.#keep(renewed)
    return this.#session?.accessToken ?? null
  }

  /**
   * Returns null if the server has ended the session. Throws on any other failure, since the session may still be
   * valid.
   */
  async #askForTokens(): Promise<StoredSession | null> {
    try {
      const answer = await this.#post('/api/auth/refresh')
      return sessionOf((await answer.json()) as TokenPair)
    } catch (error) {
      if (error instanceof ParleyError && error.status === 401) return null
      throw error instanceof ParleyError ? error : networkError(error)
    }
  }

  /**
   * Ends the session that the cookie belongs to. Without a connection, retries when the browser is online again or on
   * the next visit.
   */
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

  /** Ends the old session by its id, read from its access token: the cookie already belongs to the new session. */
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

/**
 * Browsers have no locks on pages without HTTPS. For those, the server accepts a refresh token twice within 10
 * seconds.
 */
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
