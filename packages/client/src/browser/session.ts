import { networkError, ParleyError } from '../error.ts'
import type { SignedIn, TokenPair } from '../schemas.ts'
import { singleFlight } from '../single-flight.ts'
import { createTransport, type TokenSource, type Transport, type TransportOptions } from '../transport.ts'

/**
 * The access token of the signed-in user. It is stored in localStorage, which all tabs share. The refresh token is in
 * an HttpOnly cookie, which scripts cannot read.
 */
interface StoredSession {
  accessToken: string
  /** Expiry in milliseconds since the Unix epoch. */
  expiresAt: number
}

/** The server's reasons for ending a session (`POST /api/auth/refresh`). */
const SESSION_ENDS = [
  'expired',
  'signed_out',
  'password_changed',
  'address_proven',
  'factors_reset',
  'token_reused',
] as const
type SessionEnd = (typeof SESSION_ENDS)[number]

const KEY = 'parley.session'
/** An access token is refreshed if it expires in less than this time. */
const MARGIN_MS = 30_000
const LOCK = 'parley.renewal'
/**
 * Set at sign-out and removed when the server has ended the session. If the request to end the session fails, a later
 * request ends the session: scripts cannot delete its HttpOnly cookie.
 */
const ENDING = 'parley.ending'
/** The server's reason for ending the session. Removed at the next sign-in or sign-out. */
const ENDED = 'parley.ended'

/** A browser's session, shared by all tabs. Refreshes each access token once for all tabs. */
export class BrowserSession implements TokenSource {
  readonly #listeners = new Set<() => void>()
  /** Sends requests without an access token. Requests to the same origin include the refresh cookie. */
  readonly #send: Transport
  readonly #refresh = singleFlight(() => alone(() => this.#refreshAlone()))
  #session: StoredSession | null = parse(localStorage.getItem(KEY))
  #ending: Promise<void> | undefined

  constructor(options: Pick<TransportOptions, 'onUnreachable'> = {}) {
    this.#send = createTransport(options)
    // Stay in sync when another tab signs in, signs out or refreshes the token.
    window.addEventListener('storage', ({ key, newValue }) => {
      if (key !== KEY && key !== null) return
      this.#session = parse(key === null ? null : newValue)
      this.#notify()
    })
    window.addEventListener('online', () => this.#endUnfinished())
    this.#endUnfinished()
    // Earlier versions stored the refresh token under this key. `parse` rejects such a value, so delete it.
    if (this.#session === null) localStorage.removeItem(KEY)
  }

  /**
   * Returns whether a user is signed in. Stays true after the access token expires, until the server rejects a
   * refresh.
   */
  readonly isSignedIn = (): boolean => this.#session !== null

  /** Calls `listener` when a user signs in or out, in any tab. Returns a function that unsubscribes. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Returns why the server ended the session. Null if the user has signed out or in since. */
  readonly endReason = (): SessionEnd | null => {
    const stored = localStorage.getItem(ENDED)
    // A newer server may have other reasons.
    return stored === null ? null : (SESSION_ENDS.find((known) => known === stored) ?? 'expired')
  }

  /** Stores the tokens of a new sign-in. Ends this browser's previous session, if there is one. */
  signIn(tokens: SignedIn | TokenPair): void {
    const replaced = this.#session
    localStorage.removeItem(ENDING)
    localStorage.removeItem(ENDED)
    this.#keep(sessionOf(tokens))
    if (replaced) void this.#endReplaced(replaced).catch(() => {})
  }

  /** Deletes the access token in all tabs and ends the session on the server. */
  signOut(): void {
    localStorage.removeItem(ENDED)
    if (this.#session === null) return
    this.#keep(null)
    localStorage.setItem(ENDING, '1')
    this.#end()
  }

  /**
   * Returns an access token that has not expired, or null if no user is signed in. Throws a ParleyError if a refresh
   * was necessary and failed. The user then stays signed in.
   */
  async token(): Promise<string | null> {
    if (this.#session === null) {
      // Wait for a sign-out in progress. Its response deletes the refresh cookie, including one set by a later
      // sign-in.
      await this.#ending
      return null
    }
    if (this.#session.expiresAt - Date.now() > MARGIN_MS) return this.#session.accessToken
    return this.#refresh()
  }

  async renew(refused: string): Promise<string | null> {
    return this.#session?.accessToken === refused ? this.#refresh() : this.token()
  }

  /** Refreshes the token under a lock, one tab at a time. Using a refresh token twice would end the session. */
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
    // If another tab has signed out during the refresh, discard the new token.
    if (parse(localStorage.getItem(KEY))?.accessToken === stale) this.#keep(renewed)
    return this.#session?.accessToken ?? null
  }

  /**
   * Requests new tokens. Returns null if the server has ended the session. Throws on any other failure, because the
   * session may still be valid.
   */
  async #askForTokens(): Promise<StoredSession | null> {
    try {
      const answer = await this.#post('/api/auth/refresh')
      return sessionOf((await answer.json()) as TokenPair)
    } catch (error) {
      if (!(error instanceof ParleyError)) throw networkError(error)
      if (error.status !== 401) throw error
      localStorage.setItem(ENDED, String(error.body['reason'] ?? 'expired'))
      return null
    }
  }

  /**
   * Ends the session of the refresh cookie. If the request fails, tries again when the browser is online again or on
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

  /**
   * Ends the replaced session by the session id in its access token. The refresh cookie already belongs to the new
   * session.
   */
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
 * Runs `work` in one tab at a time. Without HTTPS, browsers provide no locks, and several tabs may refresh at the
 * same time. The server therefore accepts a refresh token twice within 10 seconds.
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
