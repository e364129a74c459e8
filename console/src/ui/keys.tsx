import type { KeyboardEvent } from 'react'
import { translator } from '../messages/index.ts'

const t = translator('ui')

/** Keys by their names in a shortcut. Apple keyboards have symbols instead of names. */
const APPLE = { mod: '⌘', shift: '⇧' }

const isApple = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform)

const keyName = (key: string): string => {
  if (key !== 'mod' && key !== 'shift') return key.toUpperCase()
  return isApple() ? APPLE[key] : t(`keys.${key}`)
}

/** A shortcut such as `mod+shift+o`, or `g h` for keys that are pressed one after the other. */
export const Keys = ({ keys }: { keys: string }) => (
  <kbd className="shrink-0 rounded border border-line px-1.5 font-sans text-xs whitespace-nowrap text-muted">
    {keys.split(/[+ ]/).map(keyName).join(' ')}
  </kbd>
)

/** Returns whether a key press submits a form: Enter without Shift, and not during input-method composition. */
export const isEnter = ({ key, shiftKey, keyCode, nativeEvent }: KeyboardEvent): boolean =>
  // Key code 229 also means composition. In Safari, `isComposing` is already false when Enter ends the composition.
  key === 'Enter' && !shiftKey && !nativeEvent.isComposing && keyCode !== 229
