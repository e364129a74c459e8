import { useSyncExternalStore } from 'react'
import { api } from '../../api/client.ts'
import { Listeners } from '../../api/listeners.ts'
import { outdate, queryClient } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useNotify } from '../../ui/toast.tsx'

const t = translator('chat')

const DELETE = 'POST /api/chat/bulk_delete_sessions'

/**
 * Deleted chats. The API cannot undo a deletion, so the request is sent when the notice with Undo closes or the user
 * leaves the page.
 */
const undoable = new Set<string>()
/** The chats that the page hides: those above, and those whose request is under way. */
let hidden: ReadonlySet<string> = new Set()
const listeners = new Listeners()

// A request with `keepalive` outlives the page.
window.addEventListener('pagehide', () => {
  if (undoable.size === 0) return
  const [method = '', path = ''] = DELETE.split(' ')
  const body = JSON.stringify({ chat_ids: [...undoable] })
  const headers = { 'content-type': 'application/json' }
  undoable.clear()
  void api.fetch(path, { method, headers, body, keepalive: true }).catch(() => {})
})

export const useHiddenChats = (): ReadonlySet<string> =>
  useSyncExternalStore(listeners.subscribe, () => hidden)

/** Returns a function that deletes chats, with a notice that offers Undo. */
export function useDeleteChats(): (ids: readonly string[]) => void {
  const notify = useNotify()
  return (ids) => {
    for (const id of ids) undoable.add(id)
    hide(ids)
    notify({
      text: t('menu.deleted', { count: ids.length }),
      undo: () => {
        for (const id of ids) undoable.delete(id)
        show(ids)
      },
      onClose: () => void send(ids).catch(notify),
    })
  }
}

/** Sends the deletion of the chats that the user has not restored. */
async function send(ids: readonly string[]): Promise<void> {
  const due = ids.filter((id) => undoable.delete(id))
  if (due.length === 0) return
  try {
    await api.request(DELETE, { body: { chat_ids: due } })
    await outdate(queryClient, 'GET /api/chat/list', 'GET /api/chat/list_folders')
  } finally {
    show(due)
  }
}

const hide = (ids: readonly string[]): void => change(new Set([...hidden, ...ids]))
const show = (ids: readonly string[]): void => change(new Set([...hidden].filter((id) => !ids.includes(id))))

function change(next: ReadonlySet<string>): void {
  hidden = next
  listeners.notify()
}
