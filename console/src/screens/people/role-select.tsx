import type { ListedUser, Role } from '@parley/client/schemas'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { roleName } from '../../ui/role-name.ts'
import { useNotify } from '../../ui/toast.tsx'
import { byLevel, useLevel } from './levels.ts'

const t = translator('people')

/** A member's role: a select if the user may change it, otherwise the role's name. */
export function RoleSelect({ user, roles }: { user: ListedUser; roles: Role[] }) {
  const { organization, may, user: me } = useHere()
  const { isOwner, mayAssign } = useLevel()
  const notify = useNotify()
  const name = user.full_name || user.email
  const change = useChange('PUT /api/users/update', {
    outdates: ['GET /api/users/list', 'GET /api/roles/list_roles'],
    onDone: ({ role }) => notify(t('members.roleChanged', { name, role: roleName(role.name) })),
  })
  const isOpen = isOwner && may('users:write') && user.status === 'active' && user.id !== me.id
  if (!isOpen || user.id === null)
    return <span>{user.role ? roleName(user.role.name) : t('members.roleDeleted')}</span>
  const user_id = user.id
  const choices = roles.filter((role) => mayAssign(role) || role.id === user.role?.id).sort(byLevel)
  const chosen = change.isPending ? change.variables.body.role_id : (user.role?.id ?? '')
  return (
    <select
      aria-label={t('members.roleOf', { name })}
      value={chosen}
      disabled={change.isPending}
      onChange={({ target }) =>
        change.mutate(
          { query: { org_id: organization.id, user_id }, body: { role_id: target.value } },
          { onError: notify },
        )
      }
      className="h-8 touch:h-10 max-w-36 rounded-lg border border-line-strong/60 bg-raised px-2 text-sm"
    >
      {choices.map(({ id, name: role }) => (
        <option key={id} value={id}>
          {roleName(role)}
        </option>
      ))}
    </select>
  )
}
