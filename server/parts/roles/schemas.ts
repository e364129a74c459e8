import Type, { type Static } from 'typebox'
import {
  Body,
  CreatedAt,
  idOf,
  NAME,
  Nullable,
  ObjectId,
  PageOf,
  PERMISSION,
  UpdatedAt,
  Uuid,
} from '#platform/http/schemas.ts'

const RoleName = Type.String({
  minLength: 1,
  maxLength: 60,
  ...NAME,
  description: 'Name of the role, unique within the organization.',
})
const Description = Type.String({ maxLength: 500, description: 'Description for people.' })
const Level = Type.Integer({
  minimum: 0,
  maximum: 100,
  description: 'Hierarchy level. Higher levels have more privileges.',
})
const PermissionIds = Type.Array(Uuid, {
  maxItems: 200,
  description: 'IDs of the permissions that the role grants.',
})

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
    description: 'Permission as `resource:action`. `*` matches any word.',
  }),
  description: Type.Optional(Description),
})
export type NewPermission = Static<typeof NewPermission>

const permission = {
  id: ObjectId,
  name: Type.String({ description: 'Permission as `resource:action`. `*` matches any word.' }),
  description: Type.String({ description: 'Description for people.' }),
}
export const PermissionView = Type.Object({ ...permission, created_at: CreatedAt }, { title: 'Permission' })
export type PermissionView = Static<typeof PermissionView>
export const PermissionPage = PageOf(PermissionView, 'PermissionPage')

export const RoleView = Type.Object(
  {
    id: ObjectId,
    name: Type.String({ description: 'Name of the role, unique within the organization.' }),
    description: Type.String({ description: 'Description for people.' }),
    hierarchy_level: Type.Integer({ description: 'Hierarchy level. Higher levels have more privileges.' }),
    is_system_role: Type.Boolean({
      description: 'Whether the role is built in. Built-in roles cannot be changed.',
    }),
    organization_id: Nullable(idOf('the organization that owns the role; null for built-in roles')),
    permissions: Type.Array(Type.Object(permission), { description: 'Permissions that the role grants.' }),
    permission_ids: Type.Array(Uuid, { description: 'IDs of the permissions that the role grants.' }),
    member_count: Type.Integer({ description: 'Members with this role, in any status.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { title: 'Role' },
)
export type RoleView = Static<typeof RoleView>
export const RolePage = PageOf(RoleView, 'RolePage')
