import { createContext, lazy, type ReactNode, Suspense, use, useCallback, useEffect, useState } from 'react'
import { session } from '../api/session.ts'
import { loadChunk } from './chunks.ts'
import { errorText } from './error-text.ts'
import type { Notice, ShownNotice } from './toasts.tsx'

const Toasts = lazy(() => loadChunk(() => import('./toasts.tsx')))

type Notify = (notice: Notice | string | Error) => void

const Context = createContext<Notify>(() => {})

/**
 * Returns a function that shows a short notice at the edge of the page: `notify('Saved')`, `notify(error)`, `notify({
 * text: 'Archived', undo })`.
 */
export const useNotify = (): Notify => use(Context)

export function ToastProvider({ children }: { children: ReactNode }) {
  const [notices, setNotices] = useState<ShownNotice[]>([])
  const [isUsed, setUsed] = useState(false)
  const notify = useCallback<Notify>((given) => {
    const notice = noticeOf(given)
    setUsed(true)
    setNotices((shown) => [...shown, { ...notice, id: (shown.at(-1)?.id ?? 0) + 1 }])
  }, [])
  // After sign-out, nothing can be undone.
  useEffect(
    () =>
      session.subscribe(() => {
        if (!session.isSignedIn()) setNotices((shown) => shown.filter(({ undo }) => !undo))
      }),
    [],
  )
  const remove = ({ id, onClose }: ShownNotice) => {
    setNotices((shown) => shown.filter((notice) => notice.id !== id))
    onClose?.()
  }
  return (
    <Context value={notify}>
      {children}
      {isUsed && (
        <Suspense fallback={null}>
          <Toasts notices={notices} onRemove={remove} />
        </Suspense>
      )}
    </Context>
  )
}

function noticeOf(given: Notice | string | Error): Notice {
  if (typeof given === 'string') return { text: given }
  return given instanceof Error ? { text: errorText(given), failed: true } : given
}
