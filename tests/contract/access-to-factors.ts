import type { Call, Fixture } from './access-matrix.ts'

const EVERYBODY = 'OAMGCNS'
const proof = { password: 'not the password' }
const nothing = (): Call => ({})
const withProof = (): Call => ({ body: { proof } })
const credential = { id: 'x', rawId: 'x', type: 'public-key', clientExtensionResults: {} }

/** The access matrix (access-matrix.ts) for second factors. Users manage only their own. */
export const FACTORS: Record<string, [allowed: string, call: (fixture: Fixture) => Call]> = {
  get_auth_factors_list: [EVERYBODY, nothing],
  put_auth_factors_update: [
    EVERYBODY,
    () => ({ query: { factor_id: crypto.randomUUID() }, body: { name: 'x' } }),
  ],
  post_auth_factors_challenge: [EVERYBODY, nothing],
  post_auth_factors_remove: [EVERYBODY, () => ({ body: { factor_id: crypto.randomUUID(), proof } })],
  post_auth_totp_begin: [EVERYBODY, withProof],
  post_auth_totp_confirm: [EVERYBODY, () => ({ body: { code: '000000' } })],
  post_auth_passkeys_begin: [EVERYBODY, withProof],
  post_auth_passkeys_register: [
    EVERYBODY,
    () => ({
      body: {
        challenge: 'ch_x',
        name: 'x',
        response: { ...credential, response: { clientDataJSON: 'x', attestationObject: 'x' } },
      },
    }),
  ],
  post_auth_recovery_codes_renew: [EVERYBODY, withProof],
}
