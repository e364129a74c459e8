import type { Features } from '@parley/client/schemas'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Building2 } from 'lucide-react'
import { readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { formatBytes, formatCredits, formatNumber } from '../../ui/format.ts'
import { Empty, Loaded, More } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { SearchField } from '../people/search-field.tsx'
import type { ShowAdmin } from './search-params.ts'

const t = translator('admin')

export function Organizations({ q, show }: { q: string; show: ShowAdmin }) {
  const organizations = useInfiniteQuery({
    ...readPages('GET /api/org/list_all', { ...(q && { q }), limit: 50 }),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <SearchField
        label={t('search')}
        placeholder={t('organizations.searchHint')}
        value={q}
        onChange={(text) => show({ q: text || undefined })}
      />
      <Loaded query={organizations}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon={Building2} title={t('noMatches')} />
          ) : (
            <>
              <Table
                label={t('tab.organizations')}
                rows={rows}
                keyOf={({ id }) => id}
                columns={[
                  {
                    header: t('organizations.name'),
                    cell: ({ id, name, owner_email }) => (
                      <div className="flex flex-col">
                        <button
                          type="button"
                          onClick={() => show({ organization: id })}
                          className="text-left font-medium wrap-anywhere text-accent hover:underline"
                        >
                          {name}
                        </button>
                        <span className="wrap-anywhere text-muted">
                          {owner_email ?? t('organizations.noOwner')}
                        </span>
                      </div>
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
                    cell: ({ features }) => <span className="text-muted">{limitsOf(features)}</span>,
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
              <More query={organizations} />
            </>
          )
        }
      </Loaded>
    </>
  )
}

const limitsOf = ({ daily_chat_limit: daily, file_upload }: Features): string =>
  t('organizations.limitsOf', {
    messages: daily === null ? t('organizations.anyMessages') : t('organizations.messages', { count: daily }),
    storage: formatBytes(file_upload),
  })
