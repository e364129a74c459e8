import { type FromFrame, isToFrame } from '../post-messages.ts'
import { parseAddress } from './web-address.ts'

/** The page that the loader is on. */
export interface Host {
  close(): void
}

/**
 * Speaks with the loader, which has written its page's origin behind the `#`. Null where there is none: a page that has
 * put the frame up itself, or a window of its own. Whoever lies about the origin hears nothing and is not heard.
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
