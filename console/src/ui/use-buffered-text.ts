import { TextBuffer } from '@parley/client'
import { useEffect, useState } from 'react'

/** A text that grows by `buffer.add`, drawn again every 50 ms at most. `buffer` stays the same object. */
export function useBufferedText(): { text: string; buffer: TextBuffer } {
  const [text, setText] = useState('')
  const [buffer] = useState(() => new TextBuffer(setText))
  useEffect(() => () => buffer.close(), [buffer])
  return { text, buffer }
}
