import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { EDITOR_DESCRIPTION, EDITOR_PERMISSIONS } from '#platform/http/example-values.ts'
import { confirms, idOf, OrgId, PageQuery, searchedIn } from '#platform/http/schemas.ts'
import type { Services } from '#platform/services.ts'
import { createRole, getRole, listRoles, removeRole, updateRole } from './manage-roles.ts'
import { createPermission, listPermissions, removePermission } from './permissions-system.ts'
import {
  NewPermission,
  NewRole,
  PermissionPage,
  PermissionView,
  RoleChange,
  RolePage,
  RoleView,
} from './schemas.ts'

const GRANT_ERRORS = [
  'role.name_taken',
  'role.too_high',
  'role.permission_not_held',
  'permission.not_found',
] as const

/** Routes of roles and their permissions. */
export const roleRoutes = ({ database }: Services): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/api/roles/create',
    summary: 'Create a role',
    description:
      'The level must be below your own, and you must hold each permission, unless you are the owner.',
    access: { permission: 'roles:write', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId }),
    body: NewRole,
    example: {
      name: 'editor',
      description: EDITOR_DESCRIPTION,
      hierarchy_level: 40,
      permission_ids: EDITOR_PERMISSIONS.map((permission) => permission.id),
    },
    effects: 'database',
    reply: [201, RoleView],
    errors: ['org.not_found', ...GRANT_ERRORS],
    handler: ({ scope, body }) => createRole(scope, body),
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/roles/update',
    summary: 'Change a role',
    description: '`permission_ids` replaces all permissions of the role. Applies from the next request on.',
    access: { permission: 'roles:write', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId, role_id: idOf('the role') }),
    body: RoleChange,
    example: { description: EDITOR_DESCRIPTION },
    effects: 'database',
    current: ({ scope, query }) => getRole(scope, query.role_id),
    reply: [200, RoleView],
    errors: ['org.not_found', 'role.not_found', 'role.system', ...GRANT_ERRORS],
    handler: ({ scope, query, body }) => updateRole(scope, query.role_id, body),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/roles/remove',
    summary: 'Delete an unused role',
    access: { permission: 'roles:delete', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId, role_id: idOf('the role') }),
    effects: 'database',
    reply: confirms('Role deleted'),
    errors: ['org.not_found', 'role.not_found', 'role.system', 'role.too_high', 'role.in_use'],
    async handler({ scope, query }) {
      await removeRole(scope, query.role_id)
    },
  }),
  defineRoute({
    method: 'GET',
    url: '/api/roles/list_roles',
    summary: 'List system and custom roles',
    access: { permission: 'roles:read', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId, ...searchedIn('the name or description'), ...PageQuery }),
    reply: [200, RolePage],
    errors: ['org.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) => listRoles(scope, query),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/roles/permission',
    summary: 'Create a permission',
    access: 'system',
    body: NewPermission,
    example: { name: 'report:read', description: 'Read reports.' },
    effects: 'database',
    reply: [201, PermissionView],
    errors: ['permission.exists'],
    handler: ({ body }) => createPermission(database, body),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/roles/permission',
    summary: 'Delete a permission and remove it from all roles',
    description: 'Permissions that Parley itself checks cannot be deleted.',
    access: 'system',
    query: Type.Object({ permission_id: idOf('the permission') }),
    effects: 'database',
    reply: confirms('Permission removed'),
    errors: ['permission.not_found', 'permission.built_in'],
    async handler({ query }) {
      await removePermission(database, query.permission_id)
    },
  }),
  defineRoute({
    method: 'GET',
    url: '/api/roles/list_permissions',
    summary: 'List all permissions',
    access: 'authenticated',
    query: Type.Object(PageQuery),
    reply: [200, PermissionPage],
    errors: ['request.invalid_cursor'],
    handler: ({ query }) => listPermissions(database, query),
  }),
]
