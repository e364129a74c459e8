import { useSyncExternalStore } from 'react'
import type { SignedIn, TokenPair } from './operations.ts'

/**
 * The access token of who is signed in, kept in the browser so that it outlives the tab. The refresh token is in an
 * HttpOnly cookie, which only the server reads.
 */
interface Session {
  accessToken: string
  /** Milliseconds since 1970. */
  expiresAt: number
}

const KEY = 'parley.session'
/** A token that has so little left is renewed first. */
const MARGIN_MS = 30_000
const LOCK = 'parley.renewal'
/** Set from a sign-out until the server has ended the session: a cookie cannot be deleted offline. */
const ENDING = 'parley.ending'

const listeners = new Set<() => void>()
let session: Session | null = parse(localStorage.getItem(KEY))

/** Whether somebody is signed in; true until the server says otherwise. */
export const useIsSignedIn = (): boolean => useSyncExternalStore(subscribe, isSignedIn)

export const isSignedIn = (): boolean => session !== null

/** Keeps the tokens of a sign-in. The session that this browser had before ends. */
export function signIn(tokens: SignedIn | TokenPair): void {
  const replaced = session
  localStorage.removeItem(ENDING)
  keep(sessionOf(tokens))
  if (replaced) void endReplaced(replaced).catch(() => {})
}

/** Forgets the token in all tabs, and ends the session on the server. */
export function signOut(): void {
  if (session === null) return
  keep(null)
  localStorage.setItem(ENDING, '1')
  endSession()
}

let ending: Promise<void> | undefined

/** Ends the session of the cookie. Without a connection it is tried again when there is one, or on the next visit. */
function endSession(): void {
  ending ??= alone(() => post('/api/auth/logout'))
    .then(({ ok }) => {
      if (ok) localStorage.removeItem(ENDING)
    })
    .catch(() => {})
    .finally(() => {
      ending = undefined
    })
}

/** The cookie is the new session's by now: the access token names the old one. */
async function endReplaced({ accessToken: token }: Session): Promise<void> {
  const claims = JSON.parse(atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')))
  await fetch(`/api/auth/sessions?session_id=${claims.sid}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${token}` },
    keepalive: true,
  })
}

/** An access token that lives, renewed where it must be; null: nobody is signed in. Throws where there is no network. */
export async function accessToken(): Promise<string | null> {
  if (session === null) {
    // A sign-in that overtook the sign-out before it would lose its cookie.
    await ending
    return null
  }
  if (session.expiresAt - Date.now() > MARGIN_MS) return session.accessToken
  return renew(session)
}

/** After the server has refused a token that should have lived. */
export const renewedToken = async (refused: string): Promise<string | null> =>
  session === null || session.accessToken !== refused ? accessToken() : renew(session)

let renewal: Promise<string | null> | undefined

/** One renewal at a time over all tabs: a refresh token that is used twice ends the session. */
function renew(stale: Session): Promise<string | null> {
  renewal ??= alone(() => renewUnlocked(stale)).finally(() => {
    renewal = undefined
  })
  return renewal
}

async function renewUnlocked(stale: Session): Promise<string | null> {
  const current = parse(localStorage.getItem(KEY))
  if (current?.accessToken !== stale.accessToken) {
    session = current
    return current?.accessToken ?? null
  }
  const answer = await post('/api/auth/refresh')
  if (answer.status === 401) keep(null)
  if (!answer.ok) return null
  const renewed = sessionOf((await answer.json()) as TokenPair)
  // Another tab may have signed out meanwhile.
  if (parse(localStorage.getItem(KEY))?.accessToken === stale.accessToken) keep(renewed)
  return session?.accessToken ?? null
}

/** Pages that are not served over https have no locks: there the server's ten seconds for two tabs have to do. */
const alone = <T>(work: () => Promise<T>): Promise<T> =>
  navigator.locks ? (navigator.locks.request(LOCK, work) as Promise<T>) : work()

/** The cookie comes along. */
const post = (path: string): Promise<Response> => fetch(path, { method: 'POST', keepalive: true })

function keep(next: Session | null): void {
  session = next
  if (next) localStorage.setItem(KEY, JSON.stringify(next))
  else localStorage.removeItem(KEY)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

// What another tab has done.
window.addEventListener('storage', ({ key, newValue }) => {
  if (key !== KEY && key !== null) return
  session = parse(key === null ? null : newValue)
  for (const listener of listeners) listener()
})

const sessionOf = ({ access_token, expires_in }: TokenPair): Session => ({
  accessToken: access_token,
  expiresAt: Date.now() + expires_in * 1000,
})

const endUnfinished = (): void => {
  if (session === null && localStorage.getItem(ENDING) !== null) endSession()
}
window.addEventListener('online', endUnfinished)
endUnfinished()
// Sign-ins of earlier versions kept the refresh token here.
if (session === null) localStorage.removeItem(KEY)

function parse(text: string | null): Session | null {
  try {
    const kept = text === null ? null : (JSON.parse(text) as Session)
    return kept === null || 'refreshToken' in kept ? null : kept
  } catch {
    return null
  }
}
