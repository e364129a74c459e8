import Type, { type Static } from 'typebox'
import { Body, matching, NOT_BLANK, Nullable, Timestamp, Uuid, WORD } from '#platform/http/schemas.ts'
import { session } from './schemas.ts'

const Token = Type.String({ minLength: 1, maxLength: 200 })
const Base64Url = Type.String({ minLength: 1, maxLength: 20_000, ...WORD })
export const FactorName = Type.String({ minLength: 1, maxLength: 100, ...NOT_BLANK })
const Code = Type.String({
  minLength: 6,
  maxLength: 10,
  description: 'The 6 digits of the authenticator app',
})
const RecoveryCode = Type.String({ minLength: 16, maxLength: 40 })

/** What `navigator.credentials` answers, as JSON (WebAuthn Level 3, 5.1); further keys of browsers are ignored. */
const credential = {
  id: Base64Url,
  rawId: Base64Url,
  type: Type.Literal('public-key'),
  authenticatorAttachment: Type.Optional(Nullable(Type.String({ maxLength: 50 }))),
  clientExtensionResults: Type.Object({}),
}
const Attestation = Type.Object(
  {
    ...credential,
    response: Type.Object({
      clientDataJSON: Base64Url,
      attestationObject: Base64Url,
      transports: Type.Optional(Type.Array(Type.String({ maxLength: 50 }), { maxItems: 10 })),
    }),
  },
  { title: 'PasskeyRegistration' },
)
export type Attestation = Static<typeof Attestation>
const Assertion = Type.Object(
  {
    ...credential,
    response: Type.Object({
      clientDataJSON: Base64Url,
      authenticatorData: Base64Url,
      signature: Base64Url,
      userHandle: Type.Optional(
        Nullable(
          Type.String({
            maxLength: 200,
            ...matching('^[\\w-]*$', 'must hold only letters, digits, - and _'),
          }),
        ),
      ),
    }),
  },
  { title: 'PasskeyAssertion' },
)
export type Assertion = Static<typeof Assertion>

const Proof = Type.Object(
  {
    password: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    code: Type.Optional(Code),
    passkey: Type.Optional(Body({ challenge: Token, response: Assertion })),
  },
  { title: 'FactorProof', additionalProperties: false, minProperties: 1, maxProperties: 1 },
)
/** That it is the user who asks, not a stolen session: exactly one of these. */
export type Proof = Static<typeof Proof>

export const Proven = Body({ proof: Proof })
export const TotpCode = Body({ code: Code, name: Type.Optional(FactorName) })
export const NewPasskey = Body({ challenge: Token, name: FactorName, response: Attestation })
export type NewPasskey = Static<typeof NewPasskey>
export const FactorChange = Body({ name: FactorName })
export const FactorRemoval = Body({ factor_id: Uuid, proof: Proof })

export const SecondFactor = Type.Object(
  {
    challenge: Token,
    code: Type.Optional(Code),
    recovery_code: Type.Optional(RecoveryCode),
    passkey: Type.Optional(Assertion),
    session,
  },
  { additionalProperties: false },
)
export type SecondFactor = Static<typeof SecondFactor>
export const PasskeySignIn = Body({ challenge: Token, response: Assertion, session })

const Options = Type.Object({}, { additionalProperties: true, description: 'For navigator.credentials' })
export const PasskeyOptions = Type.Object(
  { challenge: Type.String(), options: Options },
  { title: 'PasskeyOptions' },
)

export const FactorView = Type.Object(
  {
    id: Uuid,
    type: Type.Enum(['totp', 'passkey']),
    name: Type.String(),
    created_at: Timestamp,
    last_used_at: Nullable(Timestamp),
  },
  { title: 'SecondFactor' },
)
export type FactorView = Static<typeof FactorView>
export const FactorsView = Type.Object(
  {
    factors: Type.Array(FactorView),
    recovery_codes_left: Type.Integer({ minimum: 0 }),
    has_password: Type.Boolean({ description: 'Whether `proof` can be the password' }),
    in_this_session: Type.Boolean({
      description: 'Whether this session satisfies organizations that require a second factor',
    }),
  },
  { title: 'SecondFactors' },
)
export type FactorsView = Static<typeof FactorsView>

const codes = Type.Array(Type.String(), {
  description: 'Shown once. Each works once in place of a code or a passkey.',
})
export const NewRecoveryCodes = Type.Object({ recovery_codes: codes }, { title: 'RecoveryCodes' })
export const TotpBegun = Type.Object(
  {
    secret: Type.String({ description: 'Base32, to be typed into an app; shown once' }),
    otpauth_url: Type.String({ description: 'The same for a QR code' }),
  },
  { title: 'TotpSetup' },
)
export const FactorAdded = Type.Object(
  { factor: FactorView, recovery_codes: Nullable(codes) },
  { title: 'SecondFactorAdded' },
)
export type FactorAdded = Static<typeof FactorAdded>
