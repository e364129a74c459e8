import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { CHALLENGE, FACTOR, PASSWORD } from '#platform/http/example-values.ts'
import { confirms, idOf } from '#platform/http/schemas.ts'
import type { Services } from '#platform/services.ts'
import {
  FactorAdded,
  FactorChange,
  FactorRemoval,
  FactorsView,
  FactorView,
  NewPasskey,
  NewRecoveryCodes,
  PasskeyOptions,
  PasskeySignIn,
  Proven,
  SecondFactor,
  TotpBegun,
  TotpCode,
} from './factor-schemas.ts'
import {
  addPasskey,
  beginAuthenticator,
  beginPasskey,
  beginProof,
  confirmAuthenticator,
  getFactor,
  listFactors,
  removeFactor,
  renameFactor,
  renewRecoveryCodes,
} from './manage-factors-system.ts'
import { SignedIn } from './schemas.ts'
import { beginPasskeySignIn, completeSignIn, signInByPasskey } from './second-factor-system.ts'
import type { SessionCookie } from './session-cookie.ts'

const PROOF_ERRORS = [
  'auth.wrong_proof',
  'auth.wrong_passkey',
  'auth.factor_challenge_gone',
  'auth.too_many_attempts',
  'auth.too_many_codes',
] as const
const ASSERTION = {
  id: '4nPq7sTzXw2k',
  rawId: '4nPq7sTzXw2k',
  type: 'public-key',
  clientExtensionResults: {},
  response: {
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
    authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4',
    signature: 'MEUCIQDk3v8bQ1x7',
  },
} as const
const proof = { password: PASSWORD }
const INVITATION_ERRORS = [
  'invitation.not_found',
  'invitation.gone',
  'invitation.role_gone',
  'invitation.sender_gone',
] as const

/**
 * Routes for signing in with second factors, and for managing one's own factors (docs/second-factor.md). An extension
 * of the spec.
 */
export const factorRoutes = (services: Services, cookie: SessionCookie): Route[] => [
  ...signInRoutes(services, cookie),
  ...ownRoutes(services),
]

const signInRoutes = (services: Services, cookie: SessionCookie): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/api/auth/verify_second_factor',
    summary: 'Complete a sign-in with a second factor',
    description:
      'Answers the `challenge` of a 401 `auth.second_factor_needed` with one of `code`, `recovery_code` and `passkey` (a ' +
      'PublicKeyCredential for its `passkey_options`). The challenge expires after 10 minutes and accepts at most ' +
      '5 codes or one passkey. An account is limited to 10 wrong codes per hour.',
    access: 'public',
    body: SecondFactor,
    example: { challenge: CHALLENGE, code: '123456' },
    effects: 'outside',
    reply: [200, SignedIn],
    errors: [
      'auth.challenge_gone',
      'auth.wrong_code',
      'auth.wrong_recovery_code',
      'auth.wrong_passkey',
      'auth.too_many_codes',
      ...INVITATION_ERRORS,
    ],
    handler: ({ client, body }) => completeSignIn(services, client, body),
    present: (answer, { body }) => cookie.conceal(answer, body.session === 'cookie'),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/passkeys/begin_sign_in',
    summary: 'Start signing in with a passkey',
    access: 'public',
    effects: 'outside',
    reply: [200, PasskeyOptions],
    errors: [],
    handler: () => beginPasskeySignIn(services),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/passkeys/sign_in',
    summary: 'Sign in with a passkey',
    description: 'Replaces the password and the second factor.',
    access: 'public',
    body: PasskeySignIn,
    example: { challenge: CHALLENGE, response: ASSERTION },
    effects: 'outside',
    reply: [200, SignedIn],
    errors: ['auth.challenge_gone', 'auth.wrong_passkey'],
    handler: ({ client, body }) => signInByPasskey(services, client, body),
    present: (answer, { body }) => cookie.conceal(answer, body.session === 'cookie'),
  }),
]

const ownRoutes = (services: Services): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/api/auth/factors/list',
    summary: 'Get your second factors',
    access: 'session',
    reply: [200, FactorsView],
    errors: [],
    handler: ({ caller }) => listFactors(services, caller),
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/auth/factors/update',
    summary: 'Rename a second factor',
    access: 'session',
    query: Type.Object({ factor_id: idOf('the second factor') }),
    body: FactorChange,
    example: { name: 'Phone' },
    effects: 'database',
    current: ({ caller, query }) => getFactor(services, caller, query.factor_id),
    reply: [200, FactorView],
    errors: ['auth.factor_not_found'],
    handler: ({ caller, query, body }) => renameFactor(services, caller, query.factor_id, body.name),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/factors/challenge',
    summary: 'Start proving your identity with a passkey',
    description: 'Returns options for `proof.passkey` of the operations that require a proof.',
    access: 'session',
    effects: 'outside',
    reply: [200, PasskeyOptions],
    errors: [],
    handler: ({ caller }) => beginProof(services, caller),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/factors/remove',
    summary: 'Remove a second factor',
    description: 'Removing the last factor also deletes the recovery codes.',
    access: 'session',
    body: FactorRemoval,
    example: { factor_id: FACTOR, proof },
    effects: 'outside',
    reply: confirms('Second factor removed'),
    errors: ['auth.factor_not_found', ...PROOF_ERRORS],
    async handler({ caller, body }) {
      await removeFactor(services, caller, body)
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/totp/begin',
    summary: 'Start adding an authenticator app',
    description:
      'Returns the secret once. The factor is active after /api/auth/totp/confirm receives a code within 10 ' +
      'minutes.',
    access: 'session',
    body: Proven,
    example: { proof },
    effects: 'outside',
    reply: [200, TotpBegun],
    errors: ['auth.totp_exists', 'auth.factor_unverified', ...PROOF_ERRORS],
    handler: ({ caller, body }) => beginAuthenticator(services, caller, body.proof),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/totp/confirm',
    summary: 'Confirm an authenticator app with its first code',
    description:
      'Adding the first factor of an account also creates recovery codes. Other sessions stay signed in.',
    access: 'session',
    body: TotpCode,
    example: { code: '123456' },
    effects: 'outside',
    reply: [201, FactorAdded],
    errors: ['auth.totp_not_begun', 'auth.totp_wrong_code', 'auth.factor_unverified', 'auth.too_many_codes'],
    handler: ({ caller, body }) => confirmAuthenticator(services, caller, body),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/passkeys/begin',
    summary: 'Start adding a passkey',
    description: 'Returns PublicKeyCredentialCreationOptionsJSON for `navigator.credentials.create`.',
    access: 'session',
    body: Proven,
    example: { proof },
    effects: 'outside',
    reply: [200, PasskeyOptions],
    errors: ['auth.passkeys_max', 'auth.factor_unverified', ...PROOF_ERRORS],
    handler: ({ caller, body }) => beginPasskey(services, caller, body.proof),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/passkeys/register',
    summary: 'Add a passkey',
    description:
      'Adding the first factor of an account also creates recovery codes. Other sessions stay signed in.',
    access: 'session',
    body: NewPasskey,
    example: {
      challenge: CHALLENGE,
      name: 'Laptop',
      response: {
        ...ASSERTION,
        response: {
          clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
          attestationObject: 'o2NmbXRkbm9uZQ',
        },
      },
    },
    effects: 'outside',
    reply: [201, FactorAdded],
    errors: [
      'auth.factor_challenge_gone',
      'auth.passkey_invalid',
      'auth.passkey_exists',
      'auth.passkeys_max',
      'auth.factor_unverified',
    ],
    handler: ({ caller, body }) => addPasskey(services, caller, body),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/auth/recovery_codes/renew',
    summary: 'Replace your recovery codes',
    description: 'Returns ten new codes once. The previous ones stop working.',
    access: 'session',
    body: Proven,
    example: { proof },
    effects: 'outside',
    reply: [201, NewRecoveryCodes],
    errors: ['auth.no_factor', ...PROOF_ERRORS],
    handler: async ({ caller, body }) => ({
      recovery_codes: await renewRecoveryCodes(services, caller, body.proof),
    }),
  }),
]
