import { useState } from 'react'

export interface Edits<Saved extends object> {
  /** What is saved, with what was changed of it. */
  value: Saved
  /** What differs from what is saved, and nothing else. */
  changes: Partial<Saved>
  isChanged: boolean
  edit: (part: Partial<Saved>) => void
  discard: () => void
  /** Forgets what was saved, unless it was changed again meanwhile. */
  settle: (sent: Partial<Saved>) => void
}

/** What somebody changes of something, until it is saved. What others save meanwhile shows where nothing was changed. */
export function useEdits<Saved extends object>(saved: Saved): Edits<Saved> {
  const [edits, setEdits] = useState<Partial<Saved>>({})
  const changes = changesOf(saved, edits)
  return {
    value: { ...saved, ...edits },
    changes,
    isChanged: Object.keys(changes).length > 0,
    edit: (part) => setEdits((before) => ({ ...before, ...part })),
    discard: () => setEdits({}),
    settle: (sent) => setEdits((now) => withoutSent(now, sent)),
  }
}

export function changesOf<Saved extends object>(saved: Saved, edits: Partial<Saved>): Partial<Saved> {
  const names = (Object.keys(edits) as (keyof Saved)[]).filter(
    (name) => JSON.stringify(edits[name]) !== JSON.stringify(saved[name]),
  )
  return Object.fromEntries(names.map((name) => [name, edits[name]])) as Partial<Saved>
}

export function withoutSent<Saved extends object>(now: Partial<Saved>, sent: Partial<Saved>): Partial<Saved> {
  const names = (Object.keys(now) as (keyof Saved)[]).filter(
    (name) => JSON.stringify(now[name]) !== JSON.stringify(sent[name]),
  )
  return Object.fromEntries(names.map((name) => [name, now[name]])) as Partial<Saved>
}
