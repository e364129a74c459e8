import { useSyncExternalStore } from 'react'
import { Listeners } from '../api/listeners.ts'

/** The panel in front of the page that the shell shows: the command palette or the list of shortcuts. */
type Overlay = 'palette' | 'shortcuts' | null

let shown: Overlay = null
const listeners = new Listeners()

export const useOverlay = (): Overlay => useSyncExternalStore(listeners.subscribe, () => shown)

export function showOverlay(overlay: Overlay): void {
  shown = overlay
  listeners.notify()
}

/** Opens an overlay, or closes it if it is open. */
export const toggleOverlay = (overlay: Exclude<Overlay, null>): void =>
  showOverlay(shown === overlay ? null : overlay)
