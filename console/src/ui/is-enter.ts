import type { KeyboardEvent } from 'react'

/** Enter as a word to go on: with Shift it begins a line, and within a composition it chooses what is composed. */
export const isEnter = ({ key, shiftKey, keyCode, nativeEvent }: KeyboardEvent): boolean =>
  // 229: the key is part of a character that is being composed, also where isComposing is late (Safari).
  key === 'Enter' && !shiftKey && !nativeEvent.isComposing && keyCode !== 229
