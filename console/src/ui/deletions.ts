import type { Input, OperationName } from '@parley/client'
import { useSyncExternalStore } from 'react'
import { api } from '../api/client.ts'
import { Listeners } from '../api/listeners.ts'
import { type ChangeInput, outdate, queryClient } from '../api/queries.ts'
import { session } from '../api/session.ts'
import { useNotify } from './toast.tsx'

/*
 * Deletions that can be undone. The API cannot undo a deletion, so the request is sent when the notice with Undo
 * closes, when the user leaves the page, or when the user signs out, in any tab.
 */

interface Deletion {
  ids: readonly string[]
  send: () => Promise<unknown>
  /** Called when the deletion is complete or undone. */
  end: () => void
}

/** Sign-out waits at most this long for the deletions. */
const SIGN_OUT_WAITS_MS = 3_000

/** Tells the other tabs to send their deletions. */
const signingOut = new BroadcastChannel('parley.signing-out')
/** A tab shares this lock while it has deletions that are not complete. */
const LOCK = 'parley.deletions'

/** The deletions that can still be undone. */
const undoable = new Set<Deletion>()
/** The records that the page hides: those above, and those whose request is under way. */
let hidden: ReadonlySet<string> = new Set()
const listeners = new Listeners()

window.addEventListener('pagehide', () => void sendAll())
signingOut.addEventListener('message', () => void sendAll())

/** Returns the ids of the deleted records, which the server may still list. */
export const useHidden = (): ReadonlySet<string> => useSyncExternalStore(listeners.subscribe, () => hidden)

/**
 * Returns a function that deletes records with one request and shows a notice that offers Undo. Lists leave out the
 * ids of `useHidden`.
 *
 * @param outdates operations whose cached responses are stale after the deletion
 */
export function useDelete<O extends OperationName>(operation: O, outdates: readonly OperationName[]) {
  const notify = useNotify()
  return (ids: readonly string[], text: string, input: ChangeInput<O>): void => {
    const over = Promise.withResolvers<void>()
    void navigator.locks?.request(LOCK, { mode: 'shared' }, () => over.promise)
    const deletion = {
      ids,
      end: over.resolve,
      send: async () => {
        // A request with `keepalive` outlives the page.
        await api.request(operation, { ...input, keepalive: true } as Input<O>)
        await outdate(queryClient, ...outdates)
      },
    }
    undoable.add(deletion)
    change([...hidden, ...ids])
    notify({
      text,
      undo: () => undoable.delete(deletion) && end(deletion),
      onClose: () => void send(deletion).catch(notify),
    })
  }
}

/** Signs out after the deletions of all tabs are sent, because a request needs the session. */
export async function signOut(): Promise<void> {
  signingOut.postMessage(null)
  const timeout = new Promise((resolve) => setTimeout(resolve, SIGN_OUT_WAITS_MS))
  await Promise.race([Promise.all([sendAll(), whenTabsHaveSent()]), timeout])
  session.signOut()
}

/** Resolves when no tab has deletions. Without HTTPS, browsers provide no locks, so resolves immediately. */
const whenTabsHaveSent = async (): Promise<void> => {
  await navigator.locks?.request(LOCK, () => {})
}

const sendAll = (): Promise<unknown> => Promise.allSettled([...undoable].map(send))

async function send(deletion: Deletion): Promise<void> {
  if (!undoable.delete(deletion)) return
  try {
    await deletion.send()
  } finally {
    end(deletion)
  }
}

function end(deletion: Deletion): void {
  deletion.end()
  change([...hidden].filter((id) => !deletion.ids.includes(id)))
}

function change(ids: readonly string[]): void {
  hidden = new Set(ids)
  listeners.notify()
}
