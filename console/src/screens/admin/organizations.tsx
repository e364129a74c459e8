import type { Features, ListedOrganization } from '@parley/client/schemas'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Building2 } from 'lucide-react'
import { readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Badge } from '../../ui/badge.tsx'
import { formatBytes, formatCredits, formatNumber } from '../../ui/format.ts'
import { AdminList, type AdminListProps } from './admin-list.tsx'

const t = translator('admin')

export function Organizations({ q, show }: AdminListProps) {
  const organizations = useInfiniteQuery({
    ...readPages('GET /api/org/list_all', { ...(q && { q }), limit: 50 }),
    placeholderData: keepPreviousData,
  })
  return (
    <AdminList
      label={t('tab.organizations')}
      hint={t('organizations.searchHint')}
      limit={t('organizations.searchLimit')}
      icon={Building2}
      q={q}
      show={show}
      query={organizations}
      columns={[
        {
          header: t('organizations.name'),
          cell: (organization) => (
            <Name organization={organization} onOpen={() => show({ organization: organization.id })} />
          ),
        },
        {
          header: t('organizations.members'),
          cell: ({ members }) => formatNumber(members),
          numeric: true,
          wideOnly: true,
        },
        {
          header: t('organizations.limits'),
          cell: ({ features }) => (
            <span className="text-muted xl:whitespace-nowrap">{limitsOf(features)}</span>
          ),
          wideOnly: true,
        },
        {
          header: t('organizations.balance'),
          cell: ({ balance }) => formatCredits(balance),
          numeric: true,
          wideOnly: true,
        },
        {
          header: t('spent'),
          cell: ({ credits_this_month }) => formatCredits(credits_this_month),
          numeric: true,
        },
      ]}
    />
  )
}

interface NameProps {
  organization: ListedOrganization
  onOpen: () => void
}

const Name = ({ organization: { name, owner_email, suspension }, onOpen }: NameProps) => (
  <div className="flex flex-col items-start gap-0.5">
    <button
      type="button"
      onClick={onOpen}
      className="reach text-left font-medium wrap-anywhere text-accent hover:underline"
    >
      {name}
    </button>
    <span className="wrap-anywhere text-muted">{owner_email ?? t('organizations.noOwner')}</span>
    {suspension && (
      <span title={suspension.reason}>
        <Badge tone="warning">{t('suspended')}</Badge>
      </span>
    )}
  </div>
)

const limitsOf = ({ daily_chat_limit: daily, file_upload }: Features): string =>
  t('organizations.limitsOf', {
    messages: daily === null ? t('organizations.anyMessages') : t('organizations.messages', { count: daily }),
    storage: formatBytes(file_upload),
  })
