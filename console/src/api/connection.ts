import { waitForRetry } from '@parley/client'
import { useSyncExternalStore } from 'react'
import { askForBuild } from './build.ts'
import { Listeners } from './listeners.ts'

/** Whether the page can reach the server. `offline`: the browser has no network. */
export type Connection = 'online' | 'offline' | 'unreachable'

const WAIT_MIN_MS = 1_000
const WAIT_MAX_MS = 15_000
/** The shortest time between two checks for a new build. */
const BUILD_CHECK_MS = 300_000

let connection: Connection = navigator.onLine ? 'online' : 'offline'
let isReplaced = false
let isChecking = false
let checkedAt = Date.now()
const listeners = new Listeners()
const retries = new EventTarget()

export const useConnection = (): Connection => useSyncExternalStore(listeners.subscribe, () => connection)

/** Returns whether the server serves a newer build than this page. */
export const useIsReplaced = (): boolean => useSyncExternalStore(listeners.subscribe, () => isReplaced)

/** Calls `listener` when the server can be reached again. */
export function onReconnect(listener: () => void): void {
  let before = connection
  listeners.subscribe(() => {
    if (before !== 'online' && connection === 'online') listener()
    before = connection
  })
}

export const retryConnection = (): void => void retries.dispatchEvent(new Event('retry'))

/** Starts watching the browser's network, and checks for a new build when the user returns to the page. */
export function watchConnection(): void {
  window.addEventListener('offline', () => void checkConnection())
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && Date.now() - checkedAt > BUILD_CHECK_MS)
      void checkConnection()
  })
  if (connection !== 'online') void checkConnection()
}

/** Asks for the server's build until it responds. Called when a request received no response. */
export async function checkConnection(): Promise<void> {
  if (isChecking) return
  isChecking = true
  const never = new AbortController().signal
  for (let tries = 0; ; tries += 1) {
    const build = await askForBuild(never)
    checkedAt = Date.now()
    if (build !== 'unreachable') {
      isChecking = false
      return change('online', build === 'replaced')
    }
    change(navigator.onLine ? 'unreachable' : 'offline', isReplaced)
    await waitForRetry(Math.min(WAIT_MIN_MS * 2 ** tries, WAIT_MAX_MS), never, retries)
  }
}

function change(next: Connection, replaced: boolean): void {
  connection = next
  isReplaced = replaced
  listeners.notify()
}
