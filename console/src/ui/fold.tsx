import { ChevronRight, type LucideIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { classNames } from './class-names.ts'

/** A line that expands to show its content. The content renders only while the line is expanded. */
export function Fold({
  icon: Icon,
  iconLook = 'text-muted',
  title,
  note,
  isBusy = false,
  isOpenAtFirst = false,
  children,
}: {
  icon: LucideIcon
  iconLook?: string
  title: ReactNode
  /** Content that is shown at the end of the line, even while the content below is hidden. */
  note?: ReactNode
  isBusy?: boolean
  isOpenAtFirst?: boolean
  children: ReactNode
}) {
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  return (
    <div className="min-w-0 overflow-hidden rounded-xl border border-line bg-surface">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full min-w-0 items-center gap-2 px-3 py-2 text-left text-sm -outline-offset-2 hover:bg-hover"
      >
        <Icon aria-hidden size={15} className={classNames('shrink-0', iconLook, isBusy && 'shimmer')} />
        <span className="min-w-0 grow truncate">{title}</span>
        {note}
        <ChevronRight
          aria-hidden
          size={15}
          className={classNames('shrink-0 text-muted transition-transform', isOpen && 'rotate-90')}
        />
      </button>
      {isOpen && <div className="border-t border-line px-3 py-2.5">{children}</div>}
    </div>
  )
}
