import { defineErrors, notFound } from '#errors/define.ts'

export const AUTH_ERRORS = defineErrors({
  'auth.invalid_credentials': [401, 'Invalid email or password'],
  'auth.invalid_refresh_token': [401, 'Invalid or expired refresh token. Sign in again.'],
  'auth.refresh_token_needed': 'refresh_token is required.',
  'auth.cookie_origin': [
    403,
    'The session cookie works only for pages of this server. Send refresh_token in the body instead.',
  ],
  'auth.second_factor_needed': [
    401,
    'Two-factor authentication is required. Send a code from your authenticator app, a passkey or a recovery code.',
  ],
  'auth.challenge_gone': [410, 'This sign-in has expired or was already used. Sign in again.'],
  'auth.wrong_code': [401, 'Wrong code. Each code works once, for about 30 seconds. Enter the current code.'],
  'auth.wrong_recovery_code': [
    401,
    'Wrong recovery code. Each recovery code works once. Enter one that you have not used.',
  ],
  'auth.wrong_passkey': [401, 'The passkey was not accepted. Try again.'],
  'auth.wrong_proof': [400, 'The password, code or passkey in proof is wrong. Check it and try again.'],
  'auth.factor_challenge_gone': [400, 'This challenge has expired or was already used. Start again.'],
  'auth.factor_not_found': notFound('Second factor not found', 'factor_id'),
  'auth.factor_unverified': [400, 'Confirm your email address before you set up two-factor authentication.'],
  'auth.totp_exists': [
    409,
    'This account already has an authenticator app. Remove it before you add another one.',
  ],
  'auth.totp_not_begun': [
    400,
    'No authenticator app is waiting for confirmation. Setup expires after 10 minutes. Start again.',
  ],
  'auth.totp_wrong_code': [400, 'Wrong code. Check the clock of your device, and enter the current code.'],
  'auth.passkey_exists': [
    409,
    'This passkey is already registered. Sign in with it, or register another passkey.',
  ],
  'auth.passkey_invalid': [
    400,
    'The passkey cannot be verified for {origin}. Open Parley at this address and try again.',
  ],
  'auth.passkeys_max': [400, 'An account can have at most {max} passkeys. Remove one first.'],
  'auth.no_factor': [
    400,
    'Recovery codes require a passkey or an authenticator app. Set up one of them first.',
  ],
  'auth.oidc_off': [
    404,
    'Sign-in with an OpenID provider is not set up on this server. Sign in with your email address and password.',
  ],
  'auth.oidc_state': [400, 'This sign-in has expired or was started in another browser. Start again.'],
  'auth.oidc_failed': [503, 'The OpenID provider did not respond correctly. Try again later.'],
  'auth.oidc_unverified': [
    403,
    'The OpenID provider has not verified your email address. Verify the address there, then sign in again.',
  ],
  'auth.session_not_found': notFound('Session not found', 'session_id'),
  'auth.link_gone': [410, 'This link has expired or was already used. Request a new one.'],
  'auth.link_of_another': [
    403,
    'This link belongs to another account. Sign in to that account, then open the link again.',
  ],
  'auth.signup_closed': [
    403,
    'Sign-up on this server is by invitation only. Ask an administrator for an invitation.',
  ],

  'auth.one_factor': 'Send exactly one of code, recovery_code and passkey.',
})
