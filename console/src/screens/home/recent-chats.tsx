import { MessageSquare } from 'lucide-react'
import { translator } from '../../messages/index.ts'
import { useHidden } from '../../ui/deletions.ts'
import { Ago } from '../../ui/time.tsx'
import { useNewestChats } from './newest.ts'
import { Shelf } from './shelf.tsx'

const t = translator('home')

export function RecentChats() {
  const hidden = useHidden()
  return (
    <Shelf
      title={t('chats.title')}
      all={t('chats.all')}
      icon={MessageSquare}
      to="/chats"
      query={useNewestChats()}
      lines={({ data }) =>
        data
          .filter(({ id }) => !hidden.has(id))
          .map(({ id, title, last_message_at, created_at }) => ({
            id,
            to: `/chats/${id}`,
            name: title,
            note: <Ago time={last_message_at ?? created_at} />,
          }))
      }
      empty={t('chats.empty')}
    />
  )
}
