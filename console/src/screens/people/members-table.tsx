import type { ListedUser, Role } from '@parley/client/schemas'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { MemberMenu } from './member-menu.tsx'
import { RoleSelect } from './role-select.tsx'

const t = translator('people')

const TONES: Record<ListedUser['status'], Tone> = {
  active: 'success',
  pending: 'accent',
  expired: 'warning',
  suspended: 'danger',
}

export const MembersTable = ({ users, roles }: { users: ListedUser[]; roles: Role[] }) => (
  <Table
    label={t('members.table')}
    rows={users}
    keyOf={(user) => user.invite_id ?? user.id ?? user.email}
    columns={[
      { header: t('members.name'), cell: (user) => <Member user={user} roles={roles} /> },
      { header: t('members.role'), cell: (user) => <RoleSelect user={user} roles={roles} />, wideOnly: true },
      { header: t('members.status'), cell: (user) => <Status user={user} />, wideOnly: true },
      {
        header: t('members.actions'),
        hideHeader: true,
        numeric: true,
        cell: (user) => <MemberMenu user={user} />,
      },
    ]}
  />
)

/** A member's name and email address. On narrow screens, also the role and the status. */
function Member({ user, roles }: { user: ListedUser; roles: Role[] }) {
  const me = useHere().user
  const name = user.full_name || user.email || t('members.pending')
  return (
    <div className="flex min-w-0 items-start gap-3">
      <Avatar id={user.id ?? user.email} name={name} shape="round" size="medium" />
      <div className="flex min-w-0 flex-col">
        <span className="font-medium wrap-anywhere">
          {user.id === me.id
            ? t.rich('members.you', {
                name,
                you: (text) => <span className="font-normal text-muted">{text}</span>,
              })
            : name}
        </span>
        {user.full_name && <span className="break-all text-muted">{user.email}</span>}
        {!user.email && <span className="text-muted">{t('members.pendingHint')}</span>}
        <span className="mt-1.5 flex flex-wrap items-center gap-2 sm:hidden">
          <RoleSelect user={user} roles={roles} />
          {user.status !== 'active' && <Status user={user} />}
        </span>
      </div>
    </div>
  )
}

const Status = ({ user: { status, invited_at } }: { user: ListedUser }) => (
  <span className="inline-flex flex-wrap items-center gap-x-2">
    <Badge tone={TONES[status]}>{t(`status.${status}`)}</Badge>
    {status === 'pending' && invited_at && (
      <span className="text-muted">
        <Ago time={invited_at} />
      </span>
    )}
  </span>
)
