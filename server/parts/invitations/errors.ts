import { defineErrors } from '#errors/define.ts'

export const INVITATIONS_ERRORS = defineErrors({
  'user.exists': [409, 'A user with this email already exists. Add them with /api/org/add_member.'],
  'invitation.not_found': [404, 'Invitation not found'],
  'invitation.level': [403, 'Only admins and owners can manage invitations.'],
  'invitation.exists': [409, 'This email already has a pending invitation. Resend or revoke it.'],
  'invitation.not_pending': [400, 'This invitation is {status}.'],
  'invitation.gone': [410, 'This invitation is {status}. Ask for a new one.'],
  'invitation.email': [400, '`{email}` is not a valid email address.'],
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
  'invitation.role_gone': [410, 'The role of this invitation no longer exists. Ask for a new one.'],
})
