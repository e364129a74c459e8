import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { storedSwitch } from '../ui/stored-switch.ts'
import { useHere } from './organization.tsx'
import { showOverlay, toggleOverlay } from './overlay.ts'
import { mainPlaces } from './places.ts'
import { rail } from './rail.ts'

/** Whether shortcuts without Ctrl or Cmd are off. Users who dictate need this, because words would press keys. */
export const plainKeysOff = storedSwitch('parley.plainKeysOff')

/** The maximum time between `g` and the key of a page, in milliseconds. */
const SEQUENCE_MS_MAX = 1_500

/** Elements that use the keys themselves: text, and lists in which letters move the selection. */
const TYPING = [
  'input',
  'textarea',
  'select',
  '[contenteditable]:not([contenteditable=false])',
  '[role=menu]',
  '[role=listbox]',
  '[role=combobox]',
].join()

/** Runs the console's shortcuts. None without Ctrl or Cmd runs while the user types or a dialog is open. */
export function useShortcuts(): void {
  const { may } = useHere()
  const navigate = useNavigate()
  const go = (key: string): boolean => {
    const place = mainPlaces(may).find((one) => one.key === key)
    if (place) void navigate({ to: place.to })
    return place !== undefined
  }
  const run = useEffectEvent((keys: string): boolean => {
    switch (keys) {
      case 'mod+k':
        toggleOverlay('palette')
        return true
      case 'mod+shift+o':
        if (may('chats:write')) void navigate({ to: '/chats', search: { message: undefined } })
        return true
      case '?':
        showOverlay('shortcuts')
        return true
      case '[':
        rail.toggle()
        return true
      default:
        return keys.startsWith('g ') && go(keys.slice(2))
    }
  })
  useEffect(() => {
    let started = Number.NEGATIVE_INFINITY
    const press = (event: KeyboardEvent) => {
      const keys = keysOf(event)
      if (keys === null) return
      const isPlain = !keys.startsWith('mod+')
      if (isPlain && (plainKeysOff.isOn() || isTaken(event))) return
      const isSecond = isPlain && event.timeStamp - started < SEQUENCE_MS_MAX
      started = keys === 'g' && !isSecond ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (run(isSecond ? `g ${keys}` : keys)) event.preventDefault()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
}

/** Returns the pressed keys as `mod+shift+o`, or null if only modifiers are pressed or the user composes text. */
function keysOf({ key, ctrlKey, metaKey, altKey, shiftKey, isComposing }: KeyboardEvent): string | null {
  if (key === undefined || key.length !== 1 || isComposing) return null
  // AltGr, which keyboards need for characters such as `[`, reports Ctrl and Alt.
  if (altKey && !ctrlKey) return null
  if (altKey || !(ctrlKey || metaKey)) return key
  return `mod+${shiftKey ? 'shift+' : ''}${key.toLowerCase()}`
}

const isTaken = ({ target, defaultPrevented }: KeyboardEvent): boolean =>
  defaultPrevented ||
  (target instanceof Element && target.closest(TYPING) !== null) ||
  document.querySelector('[role=dialog], [role=alertdialog]') !== null
