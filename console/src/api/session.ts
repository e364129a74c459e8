import { BrowserSession } from '@parley/client/browser'
import { useSyncExternalStore } from 'react'
import { checkConnection } from './connection.ts'

export const session = new BrowserSession({ onUnreachable: checkConnection })

/** Returns whether a user is signed in. Stays true until sign-out or until the server rejects the session. */
export const useIsSignedIn = (): boolean => useSyncExternalStore(session.subscribe, session.isSignedIn)
