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

/** Returns whether this browser supports passkeys. */
export const hasPasskeys = browserSupportsWebAuthn

type Options = PasskeyOptions['options']

// The API types WebAuthn's data as plain objects. The types of the standard are exact.

/** Creates a passkey. Throws ParleyError with the reason for a failure. */
export const createPasskey = (options: Options): Promise<PasskeyRegistration> =>
  startRegistration({ optionsJSON: options as unknown as PublicKeyCredentialCreationOptionsJSON }).catch(
    refuse,
  ) as Promise<unknown> as Promise<PasskeyRegistration>

/** Signs with a passkey. Throws ParleyError with the reason for a failure. */
export const signWithPasskey = (options: Options): Promise<PasskeyAssertion> =>
  startAuthentication({ optionsJSON: options as unknown as PublicKeyCredentialRequestOptionsJSON }).catch(
    refuse,
  ) as Promise<unknown> as Promise<PasskeyAssertion>

/** Error codes for failures of the browser, which have no request (ui/error-text.ts). */
const CODES: Partial<Record<WebAuthnError['code'], string>> = {
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'passkey.exists',
  ERROR_INVALID_DOMAIN: 'passkey.wrong_address',
  ERROR_INVALID_RP_ID: 'passkey.wrong_address',
}

function refuse(error: unknown): never {
  const code = (error instanceof WebAuthnError && CODES[error.code]) || 'passkey.not_used'
  throw new ParleyError('The browser used no passkey.', { status: 0, code, cause: error })
}
