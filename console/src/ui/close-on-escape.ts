import type { KeyboardEvent } from 'react'

/**
 * Returns a handler that closes a dialog or popover when Escape is pressed in it. Radix gives Escape only to the layer that
 * opened last, and counts a notice as one: a notice that appears over an open dialog would take the key from it.
 */
export const closeOnEscape = (close: () => void) => (event: KeyboardEvent) => {
  if (event.key !== 'Escape' || event.defaultPrevented) return
  event.preventDefault()
  close()
}
