import { createContext, lazy, type ReactNode, Suspense, use, useCallback, useState } from 'react'
import { loadChunk } from './chunks.ts'
import type { Question } from './confirm-dialog.tsx'

const ConfirmDialog = lazy(() => loadChunk(() => import('./confirm-dialog.tsx')))

type Ask = (question: Question) => Promise<boolean>

const Context = createContext<Ask>(() => Promise.resolve(false))

/** Returns a function that asks the user to confirm an action: `if (await confirm({ … })) remove.mutate(…)`. */
export const useConfirm = (): Ask => use(Context)

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<{ question: Question; answer: (yes: boolean) => void }>()
  const ask = useCallback<Ask>((question) => new Promise((answer) => setAsked({ question, answer })), [])
  const end = (yes: boolean) => {
    asked?.answer(yes)
    setAsked(undefined)
  }
  return (
    <Context value={ask}>
      {children}
      {asked && (
        <Suspense fallback={null}>
          <ConfirmDialog question={asked.question} onAnswer={end} />
        </Suspense>
      )}
    </Context>
  )
}
