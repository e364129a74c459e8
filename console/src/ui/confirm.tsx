import { AlertDialog } from 'radix-ui'
import { createContext, type ReactNode, use, useCallback, useState } from 'react'
import { translator } from '../messages/index.ts'
import { Button } from './button.tsx'
import { TextField } from './field.tsx'

const t = translator('ui')

interface Question {
  title: string
  /** Explains which data is lost and whether the action can be undone. */
  consequence: ReactNode
  /** The label of the confirming button, such as "Delete". */
  action: string
  /** Text that the user must type to confirm, for large deletions that cannot be undone. */
  typed?: string
}

type Ask = (question: Question) => Promise<boolean>

const Context = createContext<Ask>(() => Promise.resolve(false))

/** Returns a function that asks the user to confirm an action: `if (await confirm({ … })) remove.mutate(…)`. */
export const useConfirm = (): Ask => use(Context)

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<{ question: Question; answer: (yes: boolean) => void }>()
  const [typed, setTyped] = useState('')
  const ask = useCallback<Ask>(
    (question) =>
      new Promise((answer) => {
        setTyped('')
        setAsked({ question, answer })
      }),
    [],
  )
  const end = (yes: boolean) => {
    asked?.answer(yes)
    setAsked(undefined)
  }
  const question = asked?.question
  return (
    <Context value={ask}>
      {children}
      <AlertDialog.Root open={question !== undefined} onOpenChange={(isOpen) => !isOpen && end(false)}>
        <AlertDialog.Portal>
          <AlertDialog.Overlay className="fixed inset-0 z-50 bg-backdrop" />
          <AlertDialog.Content className="appear fixed top-1/2 left-1/2 z-50 flex w-[calc(100%-2rem)] max-w-md -translate-x-1/2 -translate-y-1/2 flex-col gap-3 rounded-2xl border border-line bg-raised p-5 shadow-xl">
            <AlertDialog.Title className="text-lg font-semibold">{question?.title}</AlertDialog.Title>
            <AlertDialog.Description className="text-sm text-muted">
              {question?.consequence}
            </AlertDialog.Description>
            {question?.typed && (
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
                disabled={question?.typed !== undefined && typed !== question.typed}
                onClick={() => end(true)}
              >
                {question?.action}
              </Button>
            </div>
          </AlertDialog.Content>
        </AlertDialog.Portal>
      </AlertDialog.Root>
    </Context>
  )
}
