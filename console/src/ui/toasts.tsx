import { X } from 'lucide-react'
import { Toast } from 'radix-ui'
import { translator } from '../messages/index.ts'
import { Button, IconButton } from './button.tsx'
import { classNames } from './class-names.ts'

const t = translator('ui')

export interface Notice {
  text: string
  failed?: boolean
  /** Undoes the action that the notice reports. */
  undo?: () => void
  /** Called when the notice has closed, also after Undo. */
  onClose?: () => void
}

export interface ShownNotice extends Notice {
  id: number
}

const SHOWN_MS = 6_000
const SHOWN_AT_ONCE_MAX = 4

interface ToastsProps {
  notices: readonly ShownNotice[]
  onRemove: (notice: ShownNotice) => void
}

/** The notices at the edge of the page. */
export default function Toasts({ notices, onRemove }: ToastsProps) {
  return (
    <Toast.Provider duration={SHOWN_MS} label={t('notice')}>
      {notices.slice(-SHOWN_AT_ONCE_MAX).map((notice) => (
        <Toast.Root
          key={notice.id}
          type={notice.failed ? 'foreground' : 'background'}
          onOpenChange={(isOpen) => !isOpen && onRemove(notice)}
          className={classNames(
            'appear flex items-center gap-3 rounded-xl border bg-raised py-2 pr-2 pl-4 text-sm shadow-lg',
            notice.failed ? 'border-danger text-danger' : 'border-line',
          )}
        >
          <Toast.Description className="min-w-0 grow break-words">{notice.text}</Toast.Description>
          {notice.undo && (
            <Toast.Action altText={t('undo')} asChild>
              <Button size="small" onClick={notice.undo}>
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
  )
}
