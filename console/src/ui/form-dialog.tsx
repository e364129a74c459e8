import { type ReactNode, useId } from 'react'
import { translator } from '../messages/index.ts'
import { Button } from './button.tsx'
import { Dialog, type DialogProps } from './dialog.tsx'
import { Failure } from './states.tsx'

const t = translator('ui')

interface FormDialogProps extends Omit<DialogProps, 'actions' | 'children'> {
  /** The label of the main button. */
  action: string
  /** Whether the action cannot be undone. */
  danger?: boolean
  busy: boolean
  /** Whether the main button is disabled, for example because a required value is missing. */
  disabled?: boolean
  error: Error | null
  onSubmit: () => void
  children: ReactNode
}

/** A dialog with a form. The main button and Enter submit the form. An error appears below the fields. */
export function FormDialog({
  action,
  danger = false,
  busy,
  disabled = false,
  error,
  onSubmit,
  children,
  ...dialog
}: FormDialogProps) {
  const form = useId()
  return (
    <Dialog
      {...dialog}
      actions={
        <>
          <Button onClick={dialog.onClose}>{t('cancel')}</Button>
          <Button
            type="submit"
            form={form}
            kind={danger ? 'danger' : 'primary'}
            busy={busy}
            disabled={disabled}
          >
            {action}
          </Button>
        </>
      }
    >
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit()
        }}
        className="flex flex-col gap-4"
      >
        {children}
        {error && <Failure error={error} />}
      </form>
    </Dialog>
  )
}
