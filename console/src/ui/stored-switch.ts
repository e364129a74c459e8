import { useSyncExternalStore } from 'react'
import { Listeners } from '../api/listeners.ts'

export interface StoredSwitch {
  isOn: () => boolean
  toggle: () => void
  /** A hook that returns whether the switch is on. */
  useIsOn: () => boolean
}

/** Returns a switch whose state this browser remembers under `key`. The switch is off until the user turns it on. */
export function storedSwitch(key: string): StoredSwitch {
  const listeners = new Listeners()
  const isOn = (): boolean => localStorage.getItem(key) !== null
  return {
    isOn,
    toggle() {
      if (isOn()) localStorage.removeItem(key)
      else localStorage.setItem(key, 'on')
      listeners.notify()
    },
    useIsOn: () => useSyncExternalStore(listeners.subscribe, isOn),
  }
}
