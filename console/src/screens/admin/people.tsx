import type { ListedPerson } from '@parley/client/schemas'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Users } from 'lucide-react'
import { readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { Badge } from '../../ui/badge.tsx'
import { formatCredits } from '../../ui/format.ts'
import { roleName } from '../../ui/role-name.ts'
import { Ago } from '../../ui/time.tsx'
import { AdminList, type AdminListProps } from './admin-list.tsx'
import type { ShowAdmin } from './search-params.ts'

const t = translator('admin')

export function People({ q, show }: AdminListProps) {
  const people = useInfiniteQuery({
    ...readPages('GET /api/users/list_all', { ...(q && { q }), limit: 50 }),
    placeholderData: keepPreviousData,
  })
  return (
    <AdminList
      label={t('tab.people')}
      hint={t('people.searchHint')}
      limit={t('people.searchLimit')}
      icon={Users}
      q={q}
      show={show}
      query={people}
      columns={[
        { header: t('people.name'), cell: (person) => <Name person={person} /> },
        {
          header: t('tab.organizations'),
          cell: ({ organizations }) => <Memberships organizations={organizations} show={show} />,
        },
        {
          header: t('people.lastActive'),
          cell: ({ last_active_at: time }) =>
            time === null ? <span className="text-muted">{t('people.unknown')}</span> : <Ago time={time} />,
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

const Name = ({
  person: { full_name, email, email_verified, is_system_admin },
}: {
  person: ListedPerson
}) => (
  <div className="flex flex-col items-start gap-0.5">
    <span className="font-medium wrap-anywhere">{full_name || email}</span>
    {full_name && <span className="wrap-anywhere text-muted">{email}</span>}
    {is_system_admin && <Badge tone="accent">{t('people.administrator')}</Badge>}
    {!email_verified && <Badge>{t('people.unverified')}</Badge>}
  </div>
)

interface MembershipsProps {
  organizations: ListedPerson['organizations']
  show: ShowAdmin
}

const Memberships = ({ organizations, show }: MembershipsProps) => (
  <ul className="flex flex-col gap-0.5">
    {organizations.map(({ id, name, role_name, status }) => (
      <li key={id} className="flex flex-wrap items-center gap-x-2">
        <button
          type="button"
          onClick={() => show({ organization: id })}
          className="text-left wrap-anywhere text-accent hover:underline touch:min-h-10"
        >
          {name}
        </button>
        <span className="text-muted">{roleName(role_name)}</span>
        {status === 'suspended' && <Badge tone="warning">{t('suspended')}</Badge>}
      </li>
    ))}
  </ul>
)
