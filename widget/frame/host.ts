import { type FromFrame, isToFrame } from '../post-messages.ts'
import { parseAddress } from './web-address.ts'

/** The page around the frame. */
export interface Host {
  close(): void
}

/**
 * Connects to the loader, which puts its page's origin after the `#`. Returns null without a loader: for an iframe in the
 * page's own code, or a separate window. Messages go only to that origin and are accepted only from it.
 */
export function findHost(onOpened: () => void): Host | null {
  const origin = location.hash.slice(1)
  if (window.parent === window || parseAddress(origin)?.origin !== origin) return null
  const tell = (message: FromFrame): void => window.parent.postMessage(message, origin)
  addEventListener('message', ({ source, origin: sender, data }) => {
    if (source === window.parent && sender === origin && isToFrame(data)) onOpened()
  })
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.isComposing) tell({ parley: 'close' })
  })
  tell({ parley: 'ready' })
  return { close: () => tell({ parley: 'close' }) }
}
