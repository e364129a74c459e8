import type { ErrorMessages } from '../error-messages.ts'

export default {
  auth: {
    cookie_origin: 'You can’t stay signed in at this address. Open Parley at the address of the server.',
    invalid_refresh_token: 'Your session has expired. Sign in again.',
    invalid_token: 'Your session has expired. Sign in again.',
    missing: 'Sign in to continue.',
    wrong_proof: 'Wrong password, code or passkey. Try again.',
  },
  invitation: {
    email: '{email} isn’t a valid email address. Enter an address such as name@example.com.',
  },
  passkey: {
    exists: 'This device already has a passkey for your account.',
    not_used: 'No passkey was used. Try again.',
    wrong_address: 'Passkeys work only at the address that this server is set up for (FRONTEND_URL).',
  },
  request: {
    answer_not_kept: 'This action is already complete. Reload the page to see the result.',
    file_too_large: 'The file is larger than {size}. Choose a smaller one.',
    idempotency_reused: 'This request was already sent with different content. Try again.',
    in_progress: 'This request was already sent and is still in progress. Try again in a moment.',
    interrupted: 'The server was interrupted during this action. Check the result before you try again.',
    invalid: 'Check your input: {reason}',
    malformed: 'The request couldn’t be read: {reason}',
    not_found: 'This server doesn’t support this action. Reload the page.',
    too_large: 'Your input is larger than {size}. Shorten it.',
    too_many_keys: 'You sent too many requests. Try again later.',
  },
  unknown: 'Something went wrong on the server. Try again. If it happens again, tell your administrator.',
} satisfies ErrorMessages
