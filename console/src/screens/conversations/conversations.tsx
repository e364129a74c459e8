import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Archive, MessagesSquare, Plus } from 'lucide-react'
import { useState } from 'react'
import { useAllPages } from '../../api/all-pages.ts'
import { readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { useHidden } from '../../ui/deletions.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded, More } from '../../ui/states.tsx'
import { Table, TableSkeleton } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Ago } from '../../ui/time.tsx'
import { ConversationMenu } from './conversation-menu.tsx'
import { NewConversation } from './new-conversation.tsx'

const t = translator('conversations')

export function Conversations() {
  const { organization, may } = useHere()
  const { archived } = useSearch({ from: '/app/conversations' })
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  const conversations = useInfiniteQuery(
    readPages('GET /api/conversation/list', { org_id: organization.id, limit: 100 }),
  )
  const hidden = useHidden()
  const rows = conversations.data?.filter(
    ({ id, is_archived }) => is_archived === (archived ?? false) && !hidden.has(id),
  )
  // The server lists both kinds together, so a page may have no row of the open tab.
  useAllPages(conversations, rows?.length === 0)
  const add = may('conversation:write') && (
    <Button kind="primary" icon={Plus} onClick={() => setOpen(true)}>
      {t('create.title')}
    </Button>
  )
  return (
    <Page
      title={t('title')}
      description={t('list.purpose')}
      actions={(archived || rows?.length !== 0) && add}
    >
      <Tabs
        label={t('list.filter')}
        tabs={[
          ['open', t('list.active')],
          ['archived', t('list.archived')],
        ]}
        value={archived ? 'archived' : 'open'}
        onChange={(tab) =>
          void navigate({
            to: '/conversations',
            search: ({ org_id }) => ({ org_id, ...(tab === 'archived' && { archived: true as const }) }),
          })
        }
      />
      <Loaded
        query={{ ...conversations, data: conversations.hasNextPage && rows?.length === 0 ? undefined : rows }}
        skeleton={<TableSkeleton columns={3} />}
      >
        {(rows) => {
          if (rows.length === 0)
            return archived ? (
              <Empty icon={Archive} title={t('list.emptyArchive')}>
                {t('list.emptyArchiveHint')}
              </Empty>
            ) : (
              <Empty icon={MessagesSquare} title={t('list.empty')} action={add}>
                {t('list.emptyHint')}
              </Empty>
            )
          return (
            <Table
              label={t('title')}
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                {
                  header: t('list.name'),
                  cell: ({ id, title }) => (
                    <Link
                      to="/conversations/$conversationId"
                      params={{ conversationId: id }}
                      className="font-medium wrap-anywhere text-accent hover:underline"
                    >
                      {title}
                    </Link>
                  ),
                },
                {
                  header: t('list.created'),
                  wideOnly: true,
                  cell: ({ created_at }) => <Ago time={created_at} />,
                },
                {
                  header: t('list.actions'),
                  hideHeader: true,
                  numeric: true,
                  cell: (row) => <ConversationMenu conversation={row} />,
                },
              ]}
            />
          )
        }}
      </Loaded>
      <More query={conversations} />
      {isOpen && <NewConversation onClose={() => setOpen(false)} />}
    </Page>
  )
}
