import { defineErrors } from '#errors/define.ts'

export const AUTH_ERRORS = defineErrors({
  'auth.invalid_credentials': [401, 'Invalid email or password'],
  'auth.invalid_refresh_token': [401, 'Invalid or expired refresh token'],
  'auth.cookie_origin': [
    403,
    'The session cookie works for pages of this server only. Send refresh_token in the body.',
  ],
  'auth.second_factor_needed': [
    401,
    'Enter a code from your authenticator app, use a passkey, or use a recovery code',
  ],
  'auth.challenge_gone': [410, 'This sign-in has expired or was used. Sign in again.'],
  'auth.wrong_code': [401, 'Wrong code. Each code works once, for about 30 seconds.'],
  'auth.wrong_recovery_code': [401, 'Wrong recovery code. Each recovery code works once.'],
  'auth.wrong_passkey': [401, 'This passkey was not accepted. Try again.'],
  'auth.wrong_proof': [400, 'The password, code or passkey in proof is wrong'],
  'auth.factor_challenge_gone': [400, 'This challenge has expired or was used. Start again.'],
  'auth.factor_not_found': [404, 'Second factor not found'],
  'auth.factor_unverified': [400, 'Confirm your email address before you set up a second factor'],
  'auth.totp_exists': [409, 'This account has an authenticator app. Remove it before you add another one.'],
  'auth.totp_not_begun': [
    400,
    'Start again: there is no authenticator app to confirm, or 10 minutes have passed',
  ],
  'auth.totp_wrong_code': [
    400,
    'Wrong code. Check that the clock of your device is right, and enter the current code.',
  ],
  'auth.passkey_exists': [409, 'This passkey is registered already'],
  'auth.passkey_invalid': [400, 'The browser sent a passkey that cannot be verified for {origin}'],
  'auth.passkeys_max': [400, 'An account has at most {max} passkeys. Remove one first.'],
  'auth.no_factor': [
    400,
    'Recovery codes come with a passkey or an authenticator app. Set up one of them first.',
  ],
  'auth.oidc_off': [404, 'Sign-in with an OpenID provider is not set up on this server'],
  'auth.oidc_state': [400, 'This sign-in has expired, or was begun in another browser. Begin again.'],
  'auth.oidc_failed': [503, 'The OpenID provider did not answer as it should. Try again later.'],
  'auth.oidc_unverified': [403, 'The OpenID provider has not confirmed your email address'],
  'auth.session_not_found': [404, 'Session not found'],
  'auth.link_gone': [410, 'This link has expired or was used. Ask for a new one.'],
  'auth.link_of_another': [
    403,
    'This link belongs to another account. Sign in to that account, then open the link again.',
  ],
  'auth.signup_closed': [403, 'Sign-up is by invitation only on this server'],

  'auth.one_factor': 'Send one of code, recovery_code and passkey',
})
