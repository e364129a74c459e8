import { translator } from '../../messages/index.ts'
import { useDelete } from '../../ui/deletions.ts'

const t = translator('chat')

/** Returns a function that deletes chats, with a notice that offers Undo. */
export function useDeleteChats(): (ids: readonly string[]) => void {
  const remove = useDelete('POST /api/chat/bulk_delete_sessions', [
    'GET /api/chat/list',
    'GET /api/chat/list_folders',
  ])
  return (ids) => remove(ids, t('menu.deleted', { count: ids.length }), { body: { chat_ids: [...ids] } })
}
