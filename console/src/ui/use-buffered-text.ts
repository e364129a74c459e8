import { TextBuffer } from '@parley/client'
import { useEffect, useState } from 'react'

/** Returns a text that grows by `buffer.add` and renders at most every 50 ms. `buffer` keeps its identity. */
export function useBufferedText(): { text: string; buffer: TextBuffer } {
  const [text, setText] = useState('')
  const [buffer] = useState(() => new TextBuffer(setText))
  useEffect(() => () => buffer.close(), [buffer])
  return { text, buffer }
}
