import { useState } from 'react'

export interface Edits<Saved extends object> {
  /** The saved value with the user's changes applied. */
  value: Saved
  /** The user's values of the fields that differ from the saved value. */
  changes: Partial<Saved>
  isChanged: boolean
  edit: (part: Partial<Saved>) => void
  discard: () => void
  /** Drops the changes in `sent`, which were saved. Keeps a field if the user has changed it again. */
  settle: (sent: Partial<Saved>) => void
}

/**
 * Tracks a user's unsaved changes to a value. Unchanged fields follow the saved value, which other users may change.
 */
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
