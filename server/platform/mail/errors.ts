import { defineErrors } from '#errors/define.ts'

export const MAIL_ERRORS = defineErrors({
  'auth.email_reserved': [400, 'This email address is reserved. Use another one.', 'validation'],
})
