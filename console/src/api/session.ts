import { useSyncExternalStore } from 'react'
import type { SignedIn, TokenPair } from './operations.ts'

/** The tokens of who is signed in, kept in the browser so that they outlive the tab. */
interface Session {
  accessToken: string
  refreshToken: string
  /** Milliseconds since 1970. */
  expiresAt: number
}

const KEY = 'parley.session'
/** A token that has so little left is renewed first. */
const MARGIN_MS = 30_000
const LOCK = 'parley.renewal'

const listeners = new Set<() => void>()
let session: Session | null = parse(localStorage.getItem(KEY))

/** Whether somebody is signed in; true until the server says otherwise. */
export const useIsSignedIn = (): boolean => useSyncExternalStore(subscribe, isSignedIn)

export const isSignedIn = (): boolean => session !== null

export const signIn = (tokens: SignedIn | TokenPair): void => keep(sessionOf(tokens))

/** Forgets the tokens in all tabs, and ends the session on the server. */
export function signOut(): void {
  const ended = session
  keep(null)
  if (ended) void post('/api/auth/logout', { refresh_token: ended.refreshToken }).catch(() => {})
}

/** An access token that lives, renewed where it must be; null: nobody is signed in. Throws where there is no network. */
export async function accessToken(): Promise<string | null> {
  if (session === null) return null
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
  if (current?.refreshToken !== stale.refreshToken) {
    session = current
    return current?.accessToken ?? null
  }
  const answer = await post('/api/auth/refresh', { refresh_token: stale.refreshToken })
  if (answer.status === 401) keep(null)
  if (!answer.ok) return null
  keep(sessionOf((await answer.json()) as TokenPair))
  return session?.accessToken ?? null
}

/** Pages that are not served over https have no locks: there the server's ten seconds for two tabs have to do. */
const alone = <T>(work: () => Promise<T>): Promise<T> =>
  navigator.locks ? (navigator.locks.request(LOCK, work) as Promise<T>) : work()

const post = (path: string, body: unknown): Promise<Response> =>
  fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    keepalive: true,
  })

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

const sessionOf = ({ access_token, refresh_token, expires_in }: TokenPair): Session => ({
  accessToken: access_token,
  refreshToken: refresh_token,
  expiresAt: Date.now() + expires_in * 1000,
})

function parse(text: string | null): Session | null {
  try {
    return text === null ? null : (JSON.parse(text) as Session)
  } catch {
    return null
  }
}
