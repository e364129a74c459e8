import { defineErrors } from '#errors/define.ts'

export const USERS_ERRORS = defineErrors({
  'auth.email_taken': [
    409,
    'A user with this email address already exists. Sign in, or use another address.',
  ],
  'user.wrong_password': [400, 'current_password is not your current password. Enter it again.'],
})
