import { createContext, type ReactNode, useContext } from 'react'

/** A passage that a reply was given; `[1]` is the first. */
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
      className="mx-0.5 rounded border border-line bg-surface px-1 align-super text-xs text-accent"
      aria-label={`Source ${number}: ${name}`}
      title={name}
      onClick={() => onCitation(number)}
    >
      {number}
    </button>
  )
}
