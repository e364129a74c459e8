import { ParleyError } from '@parley/client'
import type { PasskeyAssertion, PasskeyOptions, PasskeyRegistration } from '@parley/client/schemas'
import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser'

type Options = PasskeyOptions['options']

// The API's types describe WebAuthn data as plain objects. The browser's own types are more exact, so values are
// cast.

/** Creates a passkey. If the browser fails or the user cancels, throws a ParleyError with the reason. */
export const createPasskey = (options: Options): Promise<PasskeyRegistration> =>
  startRegistration({ optionsJSON: options as unknown as PublicKeyCredentialCreationOptionsJSON }).catch(
    refuse,
  ) as Promise<unknown> as Promise<PasskeyRegistration>

/** Signs in with a passkey. If the browser fails or the user cancels, throws a ParleyError with the reason. */
export const signWithPasskey = (options: Options): Promise<PasskeyAssertion> =>
  startAuthentication({ optionsJSON: options as unknown as PublicKeyCredentialRequestOptionsJSON }).catch(
    refuse,
  ) as Promise<unknown> as Promise<PasskeyAssertion>

/** Error codes for failures in the browser. ui/error-text.ts has a message for each code. */
const CODES: Partial<Record<WebAuthnError['code'], string>> = {
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'passkey.exists',
  ERROR_INVALID_DOMAIN: 'passkey.wrong_address',
  ERROR_INVALID_RP_ID: 'passkey.wrong_address',
}

function refuse(error: unknown): never {
  const code = (error instanceof WebAuthnError && CODES[error.code]) || 'passkey.not_used'
  throw new ParleyError('The browser used no passkey.', { status: 0, code, cause: error })
}
