import { X } from 'lucide-react'
import { Dialog as RadixDialog } from 'radix-ui'
import type { ReactNode } from 'react'
import { translator } from '../messages/index.ts'
import { IconButton } from './button.tsx'
import { classNames } from './class-names.ts'
import { closeOnEscape } from './close-on-escape.ts'
import { OutageReported } from './states.tsx'

const t = translator('ui')

export interface DialogPanelProps {
  onClose: () => void
  title: string
  description?: ReactNode
  children?: ReactNode
  /** The dialog's buttons. The main button is the last one. */
  actions?: ReactNode
  wide?: boolean
}

/**
 * A dialog. On phones, it is a sheet at the bottom of the screen. Escape, a click on the backdrop, and the close
 * button close the dialog.
 */
export function DialogPanel({
  onClose,
  title,
  description,
  children,
  actions,
  wide = false,
}: DialogPanelProps) {
  return (
    <RadixDialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="fixed inset-0 z-40 bg-backdrop" />
        <RadixDialog.Content
          {...(!description && { 'aria-describedby': undefined })}
          onOpenAutoFocus={focusFirstField}
          onKeyDown={closeOnEscape(onClose)}
          className={classNames(
            'appear fixed z-50 flex max-h-[90dvh] flex-col border border-line bg-raised shadow-xl',
            'inset-x-0 bottom-0 rounded-t-2xl sm:inset-auto sm:top-1/2 sm:left-1/2 sm:w-[calc(100%-2rem)] sm:-translate-x-1/2 sm:-translate-y-1/2 sm:rounded-2xl',
            wide ? 'sm:max-w-3xl' : 'sm:max-w-lg',
          )}
        >
          <div className="flex items-start justify-between gap-4 px-5 pt-4">
            <div className="min-w-0 pt-1">
              <RadixDialog.Title className="text-lg font-semibold">{title}</RadixDialog.Title>
              {description && (
                <RadixDialog.Description className="mt-1 text-sm text-muted">
                  {description}
                </RadixDialog.Description>
              )}
            </div>
            <RadixDialog.Close asChild>
              <IconButton icon={X} label={t('close')} />
            </RadixDialog.Close>
          </div>
          <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-5 py-4">
            <OutageReported value={false}>{children}</OutageReported>
          </div>
          {actions && (
            <div className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{actions}</div>
          )}
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  )
}

const FIELD =
  'input:not([type=hidden], [type=file], :disabled), select:not(:disabled), textarea:not(:disabled)'

/** Focuses the first field. By default, the dialog would focus the close button, which comes first. */
function focusFirstField(event: Event): void {
  const field = event.currentTarget instanceof HTMLElement && event.currentTarget.querySelector(FIELD)
  if (!(field instanceof HTMLElement)) return
  event.preventDefault()
  field.focus()
}

export interface DrawerPanelProps {
  onClose: () => void
  title: string
  side?: 'left' | 'right'
  children: ReactNode
}

/** A panel at the side of the page, for example for details, or for the navigation on phones. */
export function DrawerPanel({ onClose, title, side = 'right', children }: DrawerPanelProps) {
  return (
    <RadixDialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="fixed inset-0 z-40 bg-backdrop" />
        <RadixDialog.Content
          aria-describedby={undefined}
          onKeyDown={closeOnEscape(onClose)}
          className={classNames(
            'fixed inset-y-0 z-50 flex w-[min(30rem,90vw)] flex-col border-line bg-raised shadow-xl',
            side === 'right' ? 'right-0 border-l' : 'left-0 w-[min(18rem,85vw)] border-r',
          )}
        >
          <div className="flex items-center justify-between gap-4 px-4 pt-3">
            <RadixDialog.Title className="truncate font-semibold">{title}</RadixDialog.Title>
            <RadixDialog.Close asChild>
              <IconButton icon={X} label={t('close')} />
            </RadixDialog.Close>
          </div>
          <div className="min-h-0 grow overflow-y-auto p-4">
            <OutageReported value={false}>{children}</OutageReported>
          </div>
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  )
}
