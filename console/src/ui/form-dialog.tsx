import { type ReactNode, useId } from 'react'
import { Button } from './button.tsx'
import { Dialog, type DialogProps } from './dialog.tsx'
import { Failure } from './states.tsx'

interface FormDialogProps extends Omit<DialogProps, 'actions' | 'children'> {
  /** What its main button says. */
  action: string
  /** What it does can't be undone. */
  danger?: boolean
  busy: boolean
  /** Something is missing yet. */
  disabled?: boolean
  /** Why it has failed. */
  error: Error | null
  onSubmit: () => void
  /** The fields. */
  children: ReactNode
}

/** A window with a form: the main button and Enter send it; what went wrong stands below its fields. */
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
          <Button onClick={dialog.onClose}>Cancel</Button>
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
