import type { KeyboardEvent } from 'react'

/** Returns whether Enter submits: not with Shift (new line) and not during input-method composition. */
export const isEnter = ({ key, shiftKey, keyCode, nativeEvent }: KeyboardEvent): boolean =>
  // Key code 229 marks composition, also in Safari, where isComposing is late.
  key === 'Enter' && !shiftKey && !nativeEvent.isComposing && keyCode !== 229
