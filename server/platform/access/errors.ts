import { defineErrors, notFound, prescribedNotFound } from '#errors/define.ts'

export const ACCESS_ERRORS = defineErrors({
  'auth.missing': [401, 'Authentication required. Send Authorization: Bearer <access token> or X-API-Key.'],
  'auth.invalid_token': [401, 'Invalid or expired token. Sign in again.'],
  'auth.invalid_key': [
    401,
    'Invalid or revoked API key. Check that you sent the whole key, or create a new one.',
  ],
  'auth.too_many_attempts': [429, 'Too many sign-in attempts. Try again in {seconds} seconds.'],
  'auth.too_many_codes': [429, 'Too many codes were tried for this account. Try again in {minutes} minutes.'],
  'access.missing_permission': [403, 'Missing permission: {permission}'],
  'access.second_factor_required': [
    403,
    'This organization requires two-factor authentication. Set it up in your account. If it is already set up, sign in again and use it.',
  ],
  'access.organization_suspended': [
    403,
    'This organization is suspended. You can only read and export its data. Reason: {reason}',
  ],
  'access.session_needed': [403, 'An API key cannot do this. Sign in and use an access token.'],
  'access.no_deployment': [403, 'This endpoint requires a deployment key. Send one as X-API-Key.'],
  'access.only_deployment': [
    403,
    'A deployment key gives access only to the chat of its deployment. Use an API key of the organization.',
  ],
  'access.not_system_admin': [403, 'Only a system administrator can do this. Ask one.'],
  'org.not_found': prescribedNotFound('Organization not found', 'org_id'),
  'role.not_found': notFound('Role not found', 'role_id'),
  'role.too_high': [403, 'You can create, change and assign only roles below your own level ({level}).'],
  'role.permission_not_held': [
    403,
    'You cannot grant {permission} because you do not have this permission. Remove it.',
  ],
  'user.owner_role': [403, "The 'owner' role cannot be assigned to users"],
  'deployment.paused': [403, 'This deployment is paused. Try again after it is resumed.'],
  'deployment.suspended': [
    403,
    'This chat is not available because the organization that offers it is suspended.',
  ],
  'deployment.not_api': [403, 'This endpoint requires the key of a deployment of type api.'],

  'request.org_id_needed': 'org_id is required, in the query or in the body.',
  'request.org_ids_differ': 'org_id must be the same in the query and in the body.',
})
