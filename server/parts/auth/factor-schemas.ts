import Type, { type Static } from 'typebox'
import {
  Body,
  CreatedAt,
  described,
  idOf,
  matching,
  NAME,
  Nullable,
  ObjectId,
  Timestamp,
  WORD,
} from '#platform/http/schemas.ts'
import { session } from './schemas.ts'

const Token = Type.String({ minLength: 1, maxLength: 200 })
const Base64Url = Type.String({ minLength: 1, maxLength: 20_000, ...WORD })
export const FactorName = Type.String({
  minLength: 1,
  maxLength: 100,
  ...NAME,
  description: 'Name of the second factor, shown to its user.',
})
const Code = Type.String({
  minLength: 6,
  maxLength: 10,
  description: 'The 6-digit code from the authenticator app.',
})
const RecoveryCode = Type.String({
  minLength: 16,
  maxLength: 40,
  description: 'A recovery code. Each code works once.',
})

/** Maximum number of fields of an object of WebAuthn, including those that are ignored. */
const FIELDS_MAX = 100

/** Result of `navigator.credentials` as JSON (WebAuthn Level 3, 5.1). Unknown fields are ignored. */
const credential = {
  id: described(Base64Url, 'Credential ID, in base64url.'),
  rawId: described(Base64Url, 'Credential ID, in base64url.'),
  type: Type.Literal('public-key', { description: 'Always `public-key`.' }),
  authenticatorAttachment: Type.Optional(
    Nullable(
      Type.String({
        maxLength: 50,
        description: 'How the authenticator is attached, such as `platform`; null if unknown.',
      }),
    ),
  ),
  clientExtensionResults: Type.Object(
    {},
    { maxProperties: FIELDS_MAX, description: 'Results of WebAuthn extensions. Ignored.' },
  ),
}
const Attestation = Type.Object(
  {
    ...credential,
    response: Type.Object(
      {
        clientDataJSON: described(Base64Url, 'Client data, in base64url.'),
        attestationObject: described(Base64Url, 'Attestation object, in base64url.'),
        transports: Type.Optional(
          Type.Array(Type.String({ maxLength: 50 }), {
            maxItems: 10,
            description: 'Transports of the authenticator, such as `usb` or `internal`.',
          }),
        ),
      },
      { maxProperties: FIELDS_MAX, description: 'AuthenticatorAttestationResponse (WebAuthn).' },
    ),
  },
  { title: 'PasskeyRegistration', maxProperties: FIELDS_MAX },
)
export type Attestation = Static<typeof Attestation>
const Assertion = Type.Object(
  {
    ...credential,
    response: Type.Object(
      {
        clientDataJSON: described(Base64Url, 'Client data, in base64url.'),
        authenticatorData: described(Base64Url, 'Authenticator data, in base64url.'),
        signature: described(Base64Url, 'Signature of the assertion, in base64url.'),
        userHandle: Type.Optional(
          Nullable(
            Type.String({
              maxLength: 200,
              ...matching('^[\\w-]*$', 'must contain only letters, digits, - and _'),
              description: 'User handle, in base64url; null if the authenticator returns none.',
            }),
          ),
        ),
      },
      { maxProperties: FIELDS_MAX, description: 'AuthenticatorAssertionResponse (WebAuthn).' },
    ),
  },
  { title: 'PasskeyAssertion', maxProperties: FIELDS_MAX },
)
export type Assertion = Static<typeof Assertion>

const Proof = Type.Object(
  {
    password: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'Current password of the caller.' }),
    ),
    code: Type.Optional(Code),
    passkey: Type.Optional(
      Body(
        {
          challenge: described(Token, 'Challenge from the passkey options.'),
          response: described(Assertion, 'Result of `navigator.credentials.get()`, as JSON.'),
        },
        { description: "Assertion of one of the caller's passkeys." },
      ),
    ),
  },
  { title: 'FactorProof', additionalProperties: false, minProperties: 1, maxProperties: 1 },
)
/** Proof that the caller is the user, because someone else may have stolen the session. Exactly one field is set. */
export type Proof = Static<typeof Proof>

export const Proven = Body({ proof: described(Proof, 'Fresh proof of identity: exactly one of its fields.') })
export const TotpCode = Body({ code: Code, name: Type.Optional(FactorName) })
export const NewPasskey = Body({
  challenge: described(Token, 'Challenge from the passkey options.'),
  name: FactorName,
  response: described(Attestation, 'Result of `navigator.credentials.create()`, as JSON.'),
})
export type NewPasskey = Static<typeof NewPasskey>
export const FactorChange = Body({ name: FactorName })
export const FactorRemoval = Body({
  factor_id: idOf('the second factor'),
  proof: described(Proof, 'Fresh proof of identity: exactly one of its fields.'),
})

export const SecondFactor = Type.Object(
  {
    challenge: described(Token, 'Challenge from the `auth.second_factor_needed` error.'),
    code: Type.Optional(Code),
    recovery_code: Type.Optional(RecoveryCode),
    passkey: Type.Optional(described(Assertion, 'Result of `navigator.credentials.get()`, as JSON.')),
    session,
  },
  { additionalProperties: false },
)
export type SecondFactor = Static<typeof SecondFactor>
export const PasskeySignIn = Body({
  challenge: described(Token, 'Challenge from the passkey options.'),
  response: described(Assertion, 'Result of `navigator.credentials.get()`, as JSON.'),
  session,
})

const Options = Type.Object(
  {},
  { additionalProperties: true, description: 'Options for `navigator.credentials` (WebAuthn).' },
)
export const PasskeyOptions = Type.Object(
  {
    challenge: Type.String({ description: 'Challenge to send back with the credential. Single-use.' }),
    options: Options,
  },
  { title: 'PasskeyOptions' },
)

export const FactorView = Type.Object(
  {
    id: ObjectId,
    type: Type.Enum(['totp', 'passkey'], {
      description: 'Type of the second factor: authenticator app or passkey.',
    }),
    name: Type.String({ description: 'Name of the second factor, shown to its user.' }),
    created_at: CreatedAt,
    last_used_at: Nullable(described(Timestamp, 'When the factor was last used; null if never.')),
  },
  { title: 'SecondFactor' },
)
export type FactorView = Static<typeof FactorView>
export const FactorsView = Type.Object(
  {
    factors: Type.Array(FactorView, { description: 'Second factors of the caller.' }),
    recovery_codes_left: Type.Integer({ minimum: 0, description: 'Number of unused recovery codes.' }),
    has_password: Type.Boolean({ description: 'Whether the caller has a password, which `proof` can use.' }),
    in_this_session: Type.Boolean({
      description: 'Whether this session satisfies organizations that require a second factor.',
    }),
  },
  { title: 'SecondFactors' },
)
export type FactorsView = Static<typeof FactorsView>

const codes = Type.Array(Type.String(), {
  description:
    'Recovery codes, returned once. Each replaces a code or passkey once. Null if codes already exist.',
})
export const NewRecoveryCodes = Type.Object({ recovery_codes: codes }, { title: 'RecoveryCodes' })
export const TotpBegun = Type.Object(
  {
    secret: Type.String({
      description: 'Shared secret in Base32, for typing into an authenticator app. Returned once.',
    }),
    otpauth_url: Type.String({ description: '`otpauth://` URL of the secret, for a QR code.' }),
  },
  { title: 'TotpSetup' },
)
export const FactorAdded = Type.Object(
  { factor: described(FactorView, 'The added second factor.'), recovery_codes: Nullable(codes) },
  { title: 'SecondFactorAdded' },
)
export type FactorAdded = Static<typeof FactorAdded>
