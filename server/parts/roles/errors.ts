import { defineErrors } from '#errors/define.ts'

export const ROLES_ERRORS = defineErrors({
  'role.system': [400, 'System roles cannot be created, updated or deleted.'],
  'role.name_taken': [400, 'A role with this name already exists in the organization.'],
  'role.in_use': [400, 'This role is assigned to members: {members}. Assign them another role first.'],
  'permission.not_found': [404, 'Permission not found: {id}'],
  'permission.exists': [409, 'This permission already exists.'],
  'permission.built_in': [400, 'Built-in permissions cannot be deleted. You can remove them from roles.'],
})
