import { defineErrors } from '#errors/define.ts'

export const DATA_RIGHTS_ERRORS = defineErrors({
  'user.sign_in_again': [
    403,
    'You have no password to confirm this with: sign in again, and do it within {minutes} minutes',
  ],
  'user.owns_organizations': [
    400,
    'You are the only owner of these organizations: hand them over, or remove their other members, first: {organizations}',
  ],
  'user.last_administrator': [400, 'You are the only system administrator: there must always be one'],
  'import.damaged': [400, 'This is no export that can be imported: {reason}'],
  'import.too_large': [400, 'This export is too large to be imported. {reason}'],
  'import.incomplete': [400, 'This export is not complete. {reason}'],
  'import.invalid': [400, '{location}: {reason}'],
  'import.under_way': [409, 'Another import is under way. Try again when it has ended'],
  'import.daily_bytes': [429, 'You have sent {limit} bytes of imports within a day. Try again in {wait}.'],
  'export.under_way': [
    409,
    'You have an export under way. Wait until it ends, or cancel it, then try again.',
  ],
  'export.busy': [503, 'This server is sending {limit} exports, which is its limit. Try again in a moment.'],
})
