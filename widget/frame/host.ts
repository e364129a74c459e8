import { type FromFrame, isToFrame } from '../post-messages.ts'
import { parseAddress } from './web-address.ts'

/** The page that contains the frame. */
export interface Host {
  close(): void
}

/**
 * Connects the frame to the loader on the surrounding page. The loader appends the page's origin to the frame's URL,
 * after `#`. Sends messages only to that origin and accepts messages only from it.
 *
 * Returns null if there is no loader: in a separate window, or if the page itself contains the iframe.
 */
export function findHost(onOpened: (scheme: string) => void): Host | null {
  const origin = location.hash.slice(1)
  if (window.parent === window || parseAddress(origin)?.origin !== origin) return null
  const tell = (message: FromFrame): void => window.parent.postMessage(message, origin)
  addEventListener('message', ({ source, origin: sender, data }) => {
    if (source === window.parent && sender === origin && isToFrame(data)) onOpened(data.scheme)
  })
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.isComposing) tell({ parley: 'close' })
  })
  tell({ parley: 'ready' })
  return { close: () => tell({ parley: 'close' }) }
}
