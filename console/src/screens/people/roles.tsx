import type { Role } from '@parley/client/schemas'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Lock, Plus } from 'lucide-react'
import { useAllPages } from '../../api/all-pages.ts'
import { readPages } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Page } from '../../ui/page.tsx'
import { permissionsInWords } from '../../ui/permission-matrix.tsx'
import { roleName } from '../../ui/role-name.ts'
import { SearchedList } from '../../ui/searched-list.tsx'
import { QueryFailure } from '../../ui/states.tsx'
import { Table, TableSkeleton } from '../../ui/table.tsx'
import { byLevel } from './levels.ts'
import { PermissionsDialog } from './permissions-dialog.tsx'
import { RoleDialog } from './role-dialog.tsx'
import { roleDescription } from './role-text.ts'
import type { RolesSearch } from './search-params.ts'

const t = translator('people')

export const NEW = 'new'

export function Roles() {
  const { organization, user, may } = useHere()
  const { q = '', role_id, permissions } = useSearch({ from: '/app/roles' })
  const navigate = useNavigate({ from: '/roles' })
  const show = (change: RolesSearch) => void navigate({ search: (old) => ({ ...old, ...change }) })
  const roles = useInfiniteQuery({
    ...readPages('GET /api/roles/list_roles', { org_id: organization.id, ...(q && { q }), limit: 100 }),
    placeholderData: keepPreviousData,
  })
  const all = useInfiniteQuery(readPages('GET /api/roles/list_permissions', { limit: 100 }))
  useAllPages(all, true)
  const open = roles.data?.find(({ id }) => id === role_id)
  const isRoleOpen = open !== undefined || role_id === NEW
  const arePermissionsOpen = permissions === true && user.is_system_admin
  const close = () => show({ role_id: undefined, permissions: undefined })
  return (
    <Page
      title={t('roles.title')}
      description={t('roles.description')}
      actions={
        <>
          {user.is_system_admin && (
            <Button onClick={() => show({ permissions: true })}>{t('roles.permissions')}</Button>
          )}
          {may('roles:write') && (
            <Button kind="primary" icon={Plus} onClick={() => show({ role_id: NEW })}>
              {t('roles.create')}
            </Button>
          )}
        </>
      }
    >
      {(isRoleOpen || arePermissionsOpen) && <QueryFailure query={all} />}
      <SearchedList
        query={roles}
        q={q}
        label={t('roles.search')}
        skeleton={<TableSkeleton columns={4} />}
        empty={null}
      >
        {(list) => <RolesTable roles={[...list].sort(byLevel)} onOpen={(id) => show({ role_id: id })} />}
      </SearchedList>
      {isRoleOpen && all.data && (
        <RoleDialog key={role_id} role={open ?? null} permissions={all.data} onClose={close} />
      )}
      {arePermissionsOpen && all.data && <PermissionsDialog permissions={all.data} onClose={close} />}
    </Page>
  )
}

const RolesTable = ({ roles, onOpen }: { roles: Role[]; onOpen: (id: string) => void }) => (
  <Table
    label={t('roles.title')}
    rows={roles}
    keyOf={({ id }) => id}
    columns={[
      { header: t('roles.role'), cell: (role) => <RoleName role={role} onOpen={() => onOpen(role.id)} /> },
      { header: t('roles.permissions'), cell: (role) => <Held role={role} />, wideOnly: true },
      { header: t('roles.level'), cell: ({ hierarchy_level }) => hierarchy_level, numeric: true },
      { header: t('roles.members'), cell: ({ member_count }) => formatNumber(member_count), numeric: true },
    ]}
  />
)

const RoleName = ({ role, onOpen }: { role: Role; onOpen: () => void }) => (
  <div className="flex flex-col">
    <span className="flex flex-wrap items-center gap-x-2">
      <button
        type="button"
        onClick={onOpen}
        className="reach text-left font-medium wrap-anywhere text-accent hover:underline"
      >
        {roleName(role.name)}
      </button>
      {role.is_system_role && (
        <Badge>
          <Lock aria-hidden size={11} /> {t('roles.system')}
        </Badge>
      )}
    </span>
    <span className="wrap-anywhere text-muted">{roleDescription(role)}</span>
  </div>
)

const Held = ({ role: { permissions } }: { role: Role }) => {
  const words = permissionsInWords(permissions.map(({ name }) => name))
  return (
    <span title={words} className="line-clamp-2 text-muted">
      {words || t('roles.none')}
    </span>
  )
}
