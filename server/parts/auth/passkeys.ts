import type { Config } from '#config'
import { fail } from '#errors'
import type { Assertion, Attestation } from './factor-schemas.ts'

/** The columns of a passkey that are needed to verify a signature. */
export interface Passkey {
  id: string
  userId: string
  credentialId: string
  publicKey: string
  counter: number
  transports: string[]
}

export interface VerifiedPasskey extends Omit<Passkey, 'id' | 'userId'> {
  isSynced: boolean
}

type Site = Pick<Config, 'baseUrl' | 'frontendUrl'>

const NAME = 'Parley'

// Imports the library on first use, because it is slow to load and most processes never need it.
const load = () => import('@simplewebauthn/server')

/**
 * Returns the relying party: the console's host. Pages of the API's origin may also use passkeys if the browser
 * allows it.
 */
const partyOf = ({ baseUrl, frontendUrl }: Site) => ({
  id: new URL(frontendUrl).hostname,
  origins: [new URL(frontendUrl).origin, new URL(baseUrl).origin],
})

/**
 * Returns options for navigator.credentials.create (PublicKeyCredentialCreationOptionsJSON; WebAuthn Level 3, 5.4).
 */
export async function registrationOptions(
  site: Site,
  user: { id: string; email: string; name: string },
  challenge: string,
  known: readonly Passkey[],
) {
  const { generateRegistrationOptions } = await load()
  return generateRegistrationOptions({
    rpName: NAME,
    rpID: partyOf(site).id,
    userID: new Uint8Array(Buffer.from(user.id)),
    userName: user.email,
    userDisplayName: user.name,
    challenge: bytesOf(challenge),
    attestationType: 'none',
    excludeCredentials: known.map(descriptorOf),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  })
}

/**
 * Returns options for navigator.credentials.get (PublicKeyCredentialRequestOptionsJSON). If `passkeys` is empty, the
 * user can choose any discoverable passkey.
 */
export async function requestOptions(site: Site, challenge: string, passkeys: readonly Passkey[]) {
  const { generateAuthenticationOptions } = await load()
  return generateAuthenticationOptions({
    rpID: partyOf(site).id,
    challenge: bytesOf(challenge),
    allowCredentials: passkeys.map(descriptorOf),
    userVerification: 'required',
  })
}

/** Verifies a new passkey (WebAuthn Level 3, 7.1). Throws auth.passkey_invalid. */
export async function verifyRegistration(
  site: Site,
  challenge: string,
  { id, rawId, type, response }: Attestation,
): Promise<VerifiedPasskey> {
  const { verifyRegistrationResponse } = await load()
  const party = partyOf(site)
  const { clientDataJSON, attestationObject, transports = [] } = response
  const verified = await verifyRegistrationResponse({
    response: {
      id,
      rawId,
      type,
      clientExtensionResults: {},
      response: { clientDataJSON, attestationObject },
    },
    expectedChallenge: challenge,
    expectedOrigin: party.origins,
    expectedRPID: party.id,
    requireUserVerification: true,
  }).catch((error: unknown) => {
    throw fail('auth.passkey_invalid', { origin: party.origins[0] ?? '' }, { cause: error })
  })
  if (!verified.verified) throw fail('auth.passkey_invalid', { origin: party.origins[0] ?? '' })
  const { credential, credentialDeviceType } = verified.registrationInfo
  return {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports,
    isSynced: credentialDeviceType === 'multiDevice',
  }
}

/**
 * Verifies a signature (WebAuthn Level 3, 7.2): origin, relying party, challenge, user verification, and a growing
 * counter, which detects cloned authenticators. Returns the new counter. Throws auth.wrong_passkey.
 */
export async function verifyAssertion(
  site: Site,
  challenge: string,
  { id, rawId, type, response }: Assertion,
  passkey: Passkey,
): Promise<number> {
  const { verifyAuthenticationResponse } = await load()
  const party = partyOf(site)
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  const isForeign = userHandle != null && Buffer.from(userHandle, 'base64url').toString() !== passkey.userId
  if (isForeign) throw fail('auth.wrong_passkey')
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      id,
      rawId,
      type,
      clientExtensionResults: {},
      response: { clientDataJSON, authenticatorData, signature },
    },
    expectedChallenge: challenge,
    expectedOrigin: party.origins,
    expectedRPID: party.id,
    credential: {
      id: passkey.credentialId,
      publicKey: bytesOf(passkey.publicKey),
      counter: passkey.counter,
    },
    requireUserVerification: true,
  }).catch((error: unknown) => {
    throw fail('auth.wrong_passkey', {}, { cause: error })
  })
  if (!verified) throw fail('auth.wrong_passkey')
  return authenticationInfo.newCounter
}

const descriptorOf = ({ credentialId: id, transports }: Passkey) => ({ id, transports })

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
