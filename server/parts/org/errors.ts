import { defineErrors, notFound } from '#errors/define.ts'

export const ORG_ERRORS = defineErrors({
  'org.name_taken': [409, 'An organization with this name already exists. Choose another name.'],
  'org.personal': [400, 'A personal organization cannot be deleted, left or transferred.'],
  'org.last_owner': [
    400,
    'An organization must always keep at least one owner. Transfer the organization to another member first.',
  ],
  'org.factor_needed': [
    400,
    'Set up two-factor authentication for your own account before you require it from members.',
  ],
  'org.owner_needed': [403, 'Only an owner of the organization can do this. Ask an owner.'],
  'org.feature_off': [
    403,
    'The {feature} feature is not enabled for this organization. Ask a system administrator to enable it.',
  ],
  'user.not_found': notFound('User not found', 'user_id'),
  'user.is_member': [409, 'This user is already a member of the organization. Change their role instead.'],
  'user.not_owner': [403, "Only users with 'owner' role can update user roles"],
  'user.same_role': [400, 'User already has the {role} role assigned'],
  'user.not_active': [400, 'Cannot update role for user with status {status}'],
  'user.status_move': [
    400,
    'A member with status {from} cannot become {to}. Only active members can be suspended, and only suspended members activated.',
  ],
  'user.self': [400, 'You cannot suspend or remove yourself. Leave the organization instead.'],
})
