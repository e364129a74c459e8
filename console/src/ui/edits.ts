import { useState } from 'react'

export interface Edits<Saved extends object> {
  /** The saved value with the changes applied. */
  value: Saved
  /** The fields that differ from the saved value. */
  changes: Partial<Saved>
  isChanged: boolean
  edit: (part: Partial<Saved>) => void
  discard: () => void
  /** Drops saved changes, except for fields that have changed again since. */
  settle: (sent: Partial<Saved>) => void
}

/** Tracks a user's unsaved changes. Fields without changes show what others save in the meantime. */
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
