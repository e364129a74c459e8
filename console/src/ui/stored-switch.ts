import { useSyncExternalStore } from 'react'

export interface StoredSwitch {
  isOn: () => boolean
  toggle: () => void
  /** A hook that returns whether the switch is on. */
  useIsOn: () => boolean
}

/** Returns a switch whose state this browser remembers under `key`. The switch is off until the user turns it on. */
export function storedSwitch(key: string): StoredSwitch {
  const listeners = new Set<() => void>()
  const isOn = (): boolean => localStorage.getItem(key) !== null
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    isOn,
    toggle() {
      if (isOn()) localStorage.removeItem(key)
      else localStorage.setItem(key, 'on')
      for (const listener of listeners) listener()
    },
    useIsOn: () => useSyncExternalStore(subscribe, isOn),
  }
}
