import type { ListedUser } from '@parley/client/schemas'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { UserPlus, Users } from 'lucide-react'
import { useAllPages } from '../../api/all-pages.ts'
import { read, readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { TableSkeleton } from '../../ui/table.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { useLevel } from './levels.ts'
import { MembersTable } from './members-table.tsx'
import { Pager } from './pager.tsx'
import { MEMBER_STATUSES, type MembersSearch } from './search-params.ts'

const t = translator('people')

const ON_PAGE = 25

export function Members() {
  const { organization, may } = useHere()
  const { mayInvite } = useLevel()
  const { q, status, page = 1, create = false } = useSearch({ from: '/app/members' })
  const navigate = useNavigate({ from: '/members' })
  const show = (change: MembersSearch) =>
    void navigate({ search: (old) => ({ ...old, page: undefined, ...change }), replace: true })
  const setInviting = (is: boolean) =>
    void navigate({ search: (old) => ({ ...old, create: is || undefined }), replace: !is })
  const org_id = organization.id
  const list = useQuery({
    ...read('GET /api/users/list', { org_id, q, status, offset: page - 1, limit: ON_PAGE }),
    placeholderData: keepPreviousData,
  })
  const roles = useInfiniteQuery({
    ...readPages('GET /api/roles/list_roles', { org_id, limit: 100 }),
    enabled: may('roles:read'),
  })
  useAllPages(roles, true)
  const invite = mayInvite && (
    <Button kind="primary" icon={UserPlus} onClick={() => setInviting(true)}>
      {t('members.invite')}
    </Button>
  )
  return (
    <Page title={t('members.title')} description={t('members.description')} actions={invite}>
      <div className="flex flex-wrap items-end gap-3">
        <SearchField
          label={t('members.search')}
          placeholder={t('members.searchHint')}
          value={q ?? ''}
          onChange={(text) => show({ q: text || undefined })}
        />
        <StatusFilter value={status} onChange={(chosen) => show({ status: chosen })} />
      </div>
      <Loaded query={list} skeleton={<TableSkeleton columns={4} />}>
        {({ users, total }) => (
          <>
            <Shown users={users} isFiltered={q !== undefined || status !== undefined}>
              <MembersTable users={users} roles={roles.data ?? []} />
            </Shown>
            <Pager page={page} pages={Math.ceil(total / ON_PAGE)} onChange={(next) => show({ page: next })} />
          </>
        )}
      </Loaded>
      {create && mayInvite && <InviteDialog roles={roles.data ?? []} onClose={() => setInviting(false)} />}
    </Page>
  )
}

const StatusFilter = ({
  value,
  onChange,
}: {
  value: MembersSearch['status']
  onChange: (status: MembersSearch['status']) => void
}) => (
  <div className="w-full sm:w-64">
    <SelectField
      label={t('members.status')}
      value={value ?? ''}
      onChange={({ target }) => onChange(MEMBER_STATUSES.find((one) => one === target.value))}
    >
      <option value="">{t('members.allStatuses')}</option>
      {MEMBER_STATUSES.map((one) => (
        <option key={one} value={one}>
          {t(`status.${one}`)}
        </option>
      ))}
    </SelectField>
  </div>
)

const Shown = ({
  users,
  isFiltered,
  children,
}: {
  users: ListedUser[]
  isFiltered: boolean
  children: React.ReactNode
}) =>
  users.length > 0 ? (
    children
  ) : (
    <Empty icon={Users} title={t(isFiltered ? 'members.noMatches' : 'members.empty')}>
      {t(isFiltered ? 'members.noMatchesHint' : 'members.emptyHint')}
    </Empty>
  )
