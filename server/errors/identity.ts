import type { Catalogue } from './catalogue.ts'

export const IDENTITY_ERRORS = {
  'auth.missing': [401, 'Not authenticated: send Authorization: Bearer <access token>, or X-API-Key'],
  'auth.invalid_token': [401, 'Invalid or expired token'],
  'auth.invalid_credentials': [401, 'Invalid email or password'],
  'auth.invalid_refresh_token': [401, 'Invalid or expired refresh token'],
  'auth.too_many_attempts': [429, 'Too many attempts to sign in. Try again in {seconds} seconds.'],
  'auth.oidc_off': [404, 'Sign-in with an OpenID provider is not set up on this server'],
  'auth.oidc_state': [400, 'This sign-in has expired, or was begun in another browser. Begin again.'],
  'auth.oidc_failed': [503, 'The OpenID provider did not answer as it should. Try again later.'],
  'auth.oidc_unverified': [403, 'The OpenID provider has not confirmed your email address'],
  'auth.oidc_account_unverified': [
    403,
    'There is an account with this email whose address was never confirmed. Sign in with its password and confirm it, or set a new password, first.',
  ],
  'auth.session_not_found': [404, 'Session not found'],
  'auth.password_set': [400, 'This account has a password already: leave password out'],
  'auth.link_gone': [410, 'This link has expired or was used. Ask for a new one.'],
  'auth.email_reserved': [400, 'This email address is not one that anybody can have'],
  'auth.email_taken': [409, 'A user with this email already exists'],
  'auth.signup_closed': [403, 'Sign-up is by invitation only on this server'],

  'access.missing_permission': [403, 'Missing permission: {permission}'],
  'access.session_needed': [403, 'Sign in to do this: an API key is not enough'],
  'access.no_deployment': [403, 'This is for deployments: send the key of one as X-API-Key'],
  'access.only_deployment': [403, 'The key of a deployment opens its chat and nothing else'],
  'access.not_system_admin': [403, 'Only a system administrator can do this'],

  'org.not_found': [404, 'Organization not found'],
  'org.name_taken': [409, 'An organization with this name already exists'],
  'org.personal': [400, 'A personal organization can not be deleted, left or handed over'],
  'org.last_owner': [400, 'An organization must always keep at least one owner'],
  'org.owner_needed': [403, 'Only the owner of the organization can do this'],
  'org.feature_off': [403, 'The {feature} feature is not enabled for this organization'],
  'org.daily_chat_limit': [
    429,
    'This organization has sent as many messages today as it may. It goes on at midnight (UTC).',
  ],

  'role.not_found': [404, 'Role not found'],
  'role.system': [400, 'System roles cannot be created, updated or deleted'],
  'role.name_taken': [400, 'A role with this name already exists in the organization'],
  'role.in_use': [400, 'This role is assigned to members: {members}'],
  'role.too_high': [403, 'Only roles below your own level ({level}) are yours to create, change or assign'],
  'role.permission_not_held': [403, 'You cannot grant a permission that you do not hold: {permission}'],

  'permission.not_found': [404, 'Permission not found: {id}'],
  'permission.exists': [409, 'This permission exists already'],
  'permission.built_in': [
    400,
    'Parley itself needs this permission: it can be taken from roles, but not removed',
  ],

  'user.not_found': [404, 'User not found'],
  'user.is_member': [409, 'This user is a member of the organization already'],
  'user.exists': [409, 'A user with this email already exists. Members are added with /api/org/add_member.'],
  'user.not_owner': [403, "Only users with 'owner' role can update user roles"],
  'user.owner_role': [403, "The 'owner' role cannot be assigned to users"],
  'user.same_role': [400, 'User already has the {role} role assigned'],
  'user.not_active': [400, 'Cannot update role for user with status {status}'],
  'user.status_move': [400, 'A member with status {from} cannot become {to}'],
  'user.self': [400, 'Nobody can suspend or remove themselves; leave the organization instead'],
  'user.wrong_password': [400, 'current_password is not your password'],
  'user.sign_in_again': [
    403,
    'You have no password to confirm this with: sign in again, and do it within {minutes} minutes',
  ],
  'user.owns_organizations': [
    400,
    'You are the only owner of these organizations: hand them over, or remove their other members, first: {organizations}',
  ],
  'user.last_administrator': [400, 'You are the only system administrator: there must always be one'],

  'invitation.not_found': [404, 'Invitation not found'],
  'invitation.level': [403, 'Only admins and owners may manage invitations'],
  'invitation.exists': [409, 'This email has a pending invitation already: resend or revoke it'],
  'invitation.not_pending': [400, 'This invitation is {status}'],
  'invitation.gone': [410, 'This invitation is {status}. Ask for a new one.'],
  'invitation.email': [400, '`{email}` is not an email address'],
  'invitation.organization_cap': [
    429,
    'An organization can send {limit} invitations per day. Try again after midnight (UTC).',
  ],
  'invitation.sender_cap': [429, 'You can send {limit} invitations per day. Try again after midnight (UTC).'],
  'invitation.unverified_cap': [
    429,
    'You can send {limit} invitations per day until you confirm your email address. Confirm it, or try again after midnight (UTC).',
  ],
  'invitation.role_gone': [410, 'The role of this invitation no longer exists. Ask for a new one.'],

  'api_key.not_found': [404, 'API key not found'],
  'api_key.expiry_past': [400, 'expires_at must be in the future'],
} as const satisfies Catalogue
