import type { KeyboardEvent } from 'react'

/** Returns whether a key press submits a form: Enter without Shift, and not during input-method composition. */
export const isEnter = ({ key, shiftKey, keyCode, nativeEvent }: KeyboardEvent): boolean =>
  // Key code 229 also means composition. In Safari, `isComposing` is already false when Enter ends the composition.
  key === 'Enter' && !shiftKey && !nativeEvent.isComposing && keyCode !== 229
