import { defineErrors } from '#errors/define.ts'

export const ROLES_ERRORS = defineErrors({
  'role.system': [400, 'System roles cannot be created, updated or deleted'],
  'role.name_taken': [400, 'A role with this name already exists in the organization'],
  'role.in_use': [400, 'This role is assigned to members: {members}'],
  'permission.not_found': [404, 'Permission not found: {id}'],
  'permission.exists': [409, 'This permission exists already'],
  'permission.built_in': [
    400,
    'Parley itself needs this permission: it can be taken from roles, but not removed',
  ],
})
