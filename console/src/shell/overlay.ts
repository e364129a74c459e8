import { useSyncExternalStore } from 'react'

/** The panel in front of the page that the shell shows: the command palette or the list of shortcuts. */
type Overlay = 'palette' | 'shortcuts' | null

let shown: Overlay = null
const listeners = new Set<() => void>()

export const useOverlay = (): Overlay => useSyncExternalStore(subscribe, () => shown)

export function showOverlay(overlay: Overlay): void {
  shown = overlay
  for (const listener of listeners) listener()
}

/** Opens an overlay, or closes it if it is open. */
export const toggleOverlay = (overlay: Exclude<Overlay, null>): void =>
  showOverlay(shown === overlay ? null : overlay)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
