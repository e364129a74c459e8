import { useEffect, useState } from 'react'

/** Shorter actions need no words: the button's spinner is enough. */
const SHOWN_AFTER_MS = 800

/** Says in words what is in progress, if it takes longer than a moment. Render it only while it is in progress. */
export function ProgressText({ children }: { children: string }) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SHOWN_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <p role="status" className="text-sm text-muted empty:hidden">
      {isShown && children}
    </p>
  )
}
