import { AlertDialog } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { translator } from '../messages/index.ts'
import { Button } from './button.tsx'
import { TextField } from './field.tsx'

const t = translator('ui')

export interface Question {
  title: string
  /** Explains which data is lost and whether the action can be undone. */
  consequence: ReactNode
  /** The label of the confirming button, such as "Delete". */
  action: string
  /** Text that the user must type to confirm, for large deletions that cannot be undone. */
  typed?: string
}

interface ConfirmDialogProps {
  question: Question
  onAnswer: (yes: boolean) => void
}

/** The dialog that asks the user to confirm an action. */
export default function ConfirmDialog({ question, onAnswer }: ConfirmDialogProps) {
  const [typed, setTyped] = useState('')
  return (
    <AlertDialog.Root open onOpenChange={(isOpen) => !isOpen && onAnswer(false)}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-50 bg-backdrop" />
        <AlertDialog.Content className="appear fixed top-1/2 left-1/2 z-50 flex w-[calc(100%-2rem)] max-w-md -translate-x-1/2 -translate-y-1/2 flex-col gap-3 rounded-2xl border border-line bg-raised p-5 shadow-xl">
          <AlertDialog.Title className="text-lg font-semibold">{question.title}</AlertDialog.Title>
          <AlertDialog.Description className="text-sm text-muted">
            {question.consequence}
          </AlertDialog.Description>
          {question.typed && (
            <TextField
              label={t('confirm.type', { text: question.typed })}
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
              autoComplete="off"
            />
          )}
          <div className="mt-2 flex flex-wrap justify-end gap-2">
            <AlertDialog.Cancel asChild>
              <Button>{t('cancel')}</Button>
            </AlertDialog.Cancel>
            <Button
              kind="danger"
              disabled={question.typed !== undefined && typed !== question.typed}
              onClick={() => onAnswer(true)}
            >
              {question.action}
            </Button>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
