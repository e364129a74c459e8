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

/** The codes of ui/error-text.ts for failures of the browser, which have no request. */
const CODES: Partial<Record<WebAuthnError['code'], string>> = {
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'passkey.exists',
  ERROR_INVALID_DOMAIN: 'passkey.wrong_address',
  ERROR_INVALID_RP_ID: 'passkey.wrong_address',
}

function refuse(error: unknown): never {
  const code = (error instanceof WebAuthnError && CODES[error.code]) || 'passkey.not_used'
  throw new ParleyError('The browser used no passkey.', { status: 0, code, cause: error })
}
