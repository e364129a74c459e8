import { defineErrors, notFound } from '#errors/define.ts'

export const INVITATIONS_ERRORS = defineErrors({
  'user.exists': [
    409,
    'A user with this email address already exists. Add them with POST /api/org/add_member.',
  ],
  'invitation.not_found': notFound('Invitation not found', 'invitation_id'),
  'invitation.level': [403, 'Only admins and owners can manage invitations. Ask one of them.'],
  'invitation.exists': [409, 'This email address already has a pending invitation. Resend or revoke it.'],
  'invitation.not_pending': [
    400,
    'This invitation is {status}. Send a new one if the person still needs access.',
  ],
  'invitation.gone': [
    410,
    'This invitation is {status}. Ask an administrator of the organization for a new one.',
  ],
  'invitation.email': [
    400,
    '`{email}` is not a valid email address. Enter an address such as name@example.com.',
  ],
  'invitation.organization_cap': [
    429,
    'An organization can send at most {limit} invitations per day. Try again after midnight (UTC).',
  ],
  'invitation.sender_cap': [
    429,
    'You can send at most {limit} invitations per day. Try again after midnight (UTC).',
  ],
  'invitation.unverified_cap': [
    429,
    'You can send at most {limit} invitations per day until you confirm your email address. Confirm it, or try again after midnight (UTC).',
  ],
  'invitation.sender_gone': [
    410,
    'The person who sent this invitation may no longer do so. Ask an administrator of the organization for a new one.',
  ],
  'invitation.role_gone': [
    410,
    'The role of this invitation was deleted. Ask an administrator of the organization for a new invitation.',
  ],
})
