import { type Look, lookOf } from '../look.ts'

/** Calls `onLook` with the settings that the console sends while they are edited. */
export function followEdits(onLook: (look: Look) => void): void {
  addEventListener('message', ({ source, origin, data }) => {
    if (source === window.parent && origin === location.origin && data?.parley === 'edited')
      onLook(lookOf(data.name, data.config))
  })
}
