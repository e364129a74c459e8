import { MessageSquare } from 'lucide-react'
import { Ago } from '../../ui/time.tsx'
import { useNewestChats } from './newest.ts'
import { Shelf } from './shelf.tsx'

export const RecentChats = () => (
  <Shelf
    title="Recent chats"
    icon={MessageSquare}
    to="/chats"
    query={useNewestChats()}
    lines={({ data }) =>
      data.map(({ id, title, last_message_at, created_at }) => ({
        id,
        to: `/chats/${id}`,
        name: title,
        note: <Ago time={last_message_at ?? created_at} />,
      }))
    }
    empty="Your chats will be here. Nobody else sees them."
  />
)
