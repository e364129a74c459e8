import { ParleyError } from '@parley/client'
import type { PasskeyAssertion, PasskeyOptions, PasskeyRegistration } from '@parley/client/schemas'
import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser'

/** Whether this browser has passkeys. */
export const hasPasskeys = browserSupportsWebAuthn

type Options = PasskeyOptions['options']

// The API describes what WebAuthn exchanges as plain objects. The types of the standard say what is in them.

/** Has the browser make a passkey. Throws a ParleyError that says why there is none. */
export const createPasskey = (options: Options): Promise<PasskeyRegistration> =>
  startRegistration({ optionsJSON: options as unknown as PublicKeyCredentialCreationOptionsJSON }).catch(
    refuse,
  ) as Promise<unknown> as Promise<PasskeyRegistration>

/** Has the browser sign with a passkey. Throws a ParleyError that says why it has not. */
export const signWithPasskey = (options: Options): Promise<PasskeyAssertion> =>
  startAuthentication({ optionsJSON: options as unknown as PublicKeyCredentialRequestOptionsJSON }).catch(
    refuse,
  ) as Promise<unknown> as Promise<PasskeyAssertion>

const SENTENCES: Partial<Record<WebAuthnError['code'], string>> = {
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'This device has a passkey for your account.',
  ERROR_INVALID_DOMAIN: 'Passkeys work only at the address that the server is set up for (FRONTEND_URL).',
  ERROR_INVALID_RP_ID: 'Passkeys work only at the address that the server is set up for (FRONTEND_URL).',
}

function refuse(error: unknown): never {
  const known = error instanceof WebAuthnError ? SENTENCES[error.code] : undefined
  throw new ParleyError(known ?? 'No passkey was used. Try again.', { status: 0, code: 'passkey' })
}
