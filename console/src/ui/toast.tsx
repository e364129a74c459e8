import { X } from 'lucide-react'
import { Toast } from 'radix-ui'
import { createContext, type ReactNode, use, useCallback, useState } from 'react'
import { translator } from '../messages/index.ts'
import { Button, IconButton } from './button.tsx'
import { classNames } from './class-names.ts'
import { errorText } from './error-text.ts'

const t = translator('ui')

interface Notice {
  text: string
  failed?: boolean
  /** Undoes the action that the notice reports. */
  undo?: () => void
  /** Called when the notice has closed, also after Undo. */
  onClose?: () => void
}

type Notify = (notice: Notice | string | Error) => void

const SHOWN_MS = 6_000
const SHOWN_AT_ONCE_MAX = 4

const Context = createContext<Notify>(() => {})

/**
 * Returns a function that shows a short notice at the edge of the page: `notify('Saved')`, `notify(error)`, `notify({
 * text: 'Archived', undo })`.
 */
export const useNotify = (): Notify => use(Context)

export function ToastProvider({ children }: { children: ReactNode }) {
  const [notices, setNotices] = useState<(Notice & { id: number })[]>([])
  const notify = useCallback<Notify>((given) => {
    const notice = noticeOf(given)
    setNotices((shown) => [...shown, { ...notice, id: (shown.at(-1)?.id ?? 0) + 1 }])
  }, [])
  const remove = (id: number, onClose: Notice['onClose']) => {
    setNotices((shown) => shown.filter((notice) => notice.id !== id))
    onClose?.()
  }
  return (
    <Context value={notify}>
      <Toast.Provider duration={SHOWN_MS} label={t('notice')}>
        {children}
        {notices.slice(-SHOWN_AT_ONCE_MAX).map(({ id, text, failed, undo, onClose }) => (
          <Toast.Root
            key={id}
            type={failed ? 'foreground' : 'background'}
            onOpenChange={(isOpen) => !isOpen && remove(id, onClose)}
            className={classNames(
              'appear flex items-center gap-3 rounded-xl border bg-raised py-2 pr-2 pl-4 text-sm shadow-lg',
              failed ? 'border-danger text-danger' : 'border-line',
            )}
          >
            <Toast.Description className="min-w-0 grow break-words">{text}</Toast.Description>
            {undo && (
              <Toast.Action altText={t('undo')} asChild>
                <Button size="small" onClick={undo}>
                  {t('undo')}
                </Button>
              </Toast.Action>
            )}
            <Toast.Close asChild>
              <IconButton small icon={X} label={t('close')} />
            </Toast.Close>
          </Toast.Root>
        ))}
        <Toast.Viewport className="fixed right-4 bottom-[var(--toasts-bottom,1rem)] z-[60] flex w-[min(24rem,calc(100vw-2rem))] flex-col gap-2 outline-none" />
      </Toast.Provider>
    </Context>
  )
}

function noticeOf(given: Notice | string | Error): Notice {
  if (typeof given === 'string') return { text: given }
  return given instanceof Error ? { text: errorText(given), failed: true } : given
}
