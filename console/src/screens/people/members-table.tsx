import type { ListedUser, Role } from '@parley/client/schemas'
import { useHere } from '../../shell/organization.tsx'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { MemberMenu } from './member-menu.tsx'
import { RoleSelect } from './role-select.tsx'

const STATUSES: Record<ListedUser['status'], [string, Tone]> = {
  active: ['Active', 'success'],
  pending: ['Invited', 'accent'],
  expired: ['Invitation expired', 'warning'],
  suspended: ['Suspended', 'danger'],
}

export const MembersTable = ({ users, roles }: { users: ListedUser[]; roles: Role[] }) => (
  <Table
    label="Members and invitations"
    rows={users}
    keyOf={(user) => user.invite_id ?? user.id ?? user.email}
    columns={[
      { header: 'Name', cell: (user) => <Who user={user} roles={roles} /> },
      { header: 'Role', cell: (user) => <RoleSelect user={user} roles={roles} />, wideOnly: true },
      { header: 'Status', cell: (user) => <Status user={user} />, wideOnly: true },
      {
        header: 'Invited',
        cell: ({ invited_at }) => invited_at && <Ago time={invited_at} />,
        wideOnly: true,
      },
      { header: 'Actions', hideHeader: true, numeric: true, cell: (user) => <MemberMenu user={user} /> },
    ]}
  />
)

/** On a phone with what else there is to know. */
function Who({ user, roles }: { user: ListedUser; roles: Role[] }) {
  const me = useHere().user
  return (
    <div className="flex min-w-0 flex-col">
      <span className="font-medium wrap-anywhere">
        {user.full_name || user.email || 'Not opened yet'}
        {user.id === me.id && <span className="font-normal text-muted"> (you)</span>}
      </span>
      {user.full_name && <span className="break-all text-muted">{user.email}</span>}
      {!user.email && (
        <span className="text-muted">Name and email appear when this person opens the organization.</span>
      )}
      <span className="mt-1.5 flex flex-wrap items-center gap-2 sm:hidden">
        <RoleSelect user={user} roles={roles} />
        {user.status !== 'active' && <Status user={user} />}
      </span>
    </div>
  )
}

function Status({ user }: { user: ListedUser }) {
  const [text, tone] = STATUSES[user.status]
  return <Badge tone={tone}>{text}</Badge>
}
