import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser'
import { ApiError } from './call.ts'
import type { PasskeyOptions } from './operations.ts'

/** Whether this browser has passkeys. */
export const hasPasskeys = browserSupportsWebAuthn

type Options = PasskeyOptions['options']

/** Has the browser make a passkey. Throws an ApiError that says why there is none. */
export const createPasskey = (options: Options) =>
  // The server describes these options as an object; the standard says what is in it.
  startRegistration({ optionsJSON: options as unknown as PublicKeyCredentialCreationOptionsJSON }).catch(
    refuse,
  )

/** Has the browser sign with a passkey. Throws an ApiError that says why it has not. */
export const signWithPasskey = (options: Options) =>
  startAuthentication({ optionsJSON: options as unknown as PublicKeyCredentialRequestOptionsJSON }).catch(
    refuse,
  )

const SENTENCES: Partial<Record<WebAuthnError['code'], string>> = {
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'This device has a passkey for your account.',
  ERROR_INVALID_DOMAIN: 'Passkeys work only at the address that the server is set up for (FRONTEND_URL).',
  ERROR_INVALID_RP_ID: 'Passkeys work only at the address that the server is set up for (FRONTEND_URL).',
}

function refuse(error: unknown): never {
  const known = error instanceof WebAuthnError ? SENTENCES[error.code] : undefined
  throw new ApiError(known ?? 'No passkey was used. Try again.', 0, 'passkey')
}
