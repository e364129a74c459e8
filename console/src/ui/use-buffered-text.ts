import { TextBuffer } from '@parley/client'
import { useEffect, useState } from 'react'

/**
 * Returns a buffer for streamed text, and the text that was added to it. The component renders at most every 50 ms.
 * The buffer remains the same object.
 */
export function useBufferedText(): { text: string; buffer: TextBuffer } {
  const [text, setText] = useState('')
  const [buffer] = useState(() => new TextBuffer(setText))
  useEffect(() => () => buffer.close(), [buffer])
  return { text, buffer }
}
