import { defineErrors, notFound } from '#errors/define.ts'

export const ROLES_ERRORS = defineErrors({
  'role.system': [400, 'System roles cannot be created, updated or deleted. Create a custom role instead.'],
  'role.name_taken': [400, 'A role with this name already exists in the organization. Choose another name.'],
  'role.in_use': [400, 'This role is assigned to members: {members}. Assign them another role first.'],
  'permission.not_found': notFound('Permission not found', 'permission_id'),
  'permission.exists': [409, 'A permission with this name already exists. Choose another name.'],
  'permission.built_in': [400, 'Built-in permissions cannot be deleted. You can remove them from roles.'],
})
