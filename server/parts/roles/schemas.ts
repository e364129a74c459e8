import Type, { type Static } from 'typebox'
import { Body, NOT_BLANK, Nullable, PageOf, PERMISSION, Timestamp, Uuid } from '#platform/http/schemas.ts'

const RoleName = Type.String({ minLength: 1, maxLength: 60, ...NOT_BLANK })
const Description = Type.String({ maxLength: 500 })
const Level = Type.Integer({ minimum: 0, maximum: 100, description: 'Higher means more privileges' })
const PermissionIds = Type.Array(Uuid, { maxItems: 200 })

export const NewRole = Body({
  name: RoleName,
  description: Type.Optional(Description),
  hierarchy_level: Level,
  permission_ids: PermissionIds,
})
export type NewRole = Static<typeof NewRole>

export const RoleChange = Body({
  name: Type.Optional(RoleName),
  description: Type.Optional(Description),
  hierarchy_level: Type.Optional(Level),
  permission_ids: Type.Optional(PermissionIds),
})
export type RoleChange = Static<typeof RoleChange>

export const NewPermission = Body({
  name: Type.String({
    maxLength: 100,
    ...PERMISSION,
    description: 'resource:action; * stands for all of either',
  }),
  description: Type.Optional(Description),
})
export type NewPermission = Static<typeof NewPermission>

const permission = { id: Uuid, name: Type.String(), description: Type.String() }
export const PermissionView = Type.Object({ ...permission, created_at: Timestamp }, { title: 'Permission' })
export type PermissionView = Static<typeof PermissionView>
export const PermissionPage = PageOf(PermissionView, 'PermissionPage')

export const RoleView = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    description: Type.String(),
    hierarchy_level: Type.Integer(),
    is_system_role: Type.Boolean(),
    organization_id: Nullable(Uuid),
    permissions: Type.Array(Type.Object(permission)),
    permission_ids: Type.Array(Uuid),
    member_count: Type.Integer({ description: 'Members of any status that have this role' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Role' },
)
export type RoleView = Static<typeof RoleView>
export const RolePage = PageOf(RoleView, 'RolePage')
