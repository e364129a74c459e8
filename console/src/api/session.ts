import { BrowserSession } from '@parley/client/browser'
import { useSyncExternalStore } from 'react'

/** The session of the user of this browser. */
export const session = new BrowserSession()

/** Whether a user is signed in; true until the server says otherwise. */
export const useIsSignedIn = (): boolean => useSyncExternalStore(session.subscribe, session.isSignedIn)
