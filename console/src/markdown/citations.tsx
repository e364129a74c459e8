import { createContext, type ReactNode, useContext } from 'react'
import { translator } from '../messages/index.ts'

const t = translator('markdown')

/** A passage that a reply cites. The citation `[1]` refers to the first passage. */
export interface CitedPassage {
  document_name: string
}

export interface Citations {
  passages: readonly CitedPassage[]
  onCitation(number: number): void
}

export const CitationsContext = createContext<Citations>({ passages: [], onCitation() {} })

export function CitationMark({ number }: { number: number }): ReactNode {
  const { passages, onCitation } = useContext(CitationsContext)
  const name = passages[number - 1]?.document_name ?? ''
  return (
    <button
      type="button"
      className="ml-0.5 rounded border border-line bg-surface px-1 py-px align-[0.3em] text-[0.6875rem] leading-none text-accent"
      aria-label={t('citation', { number, name })}
      title={name}
      onClick={() => onCitation(number)}
    >
      {number}
    </button>
  )
}
