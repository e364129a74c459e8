import { Authenticator } from '#tests/support/authenticator.ts'
import { App, addApp, addPasskey, logIn, ORIGIN, signUpVerified } from '#tests/support/factors.ts'
import type { TestServer } from '#tests/support/server.ts'

interface Sent {
  token?: string
  body?: unknown
}

const PROOF = { proof: { password: 'correct horse battery' } }

/** Valid requests for each POST about second factors, for repeated-requests.test.ts. Each uses a new user. */
export const requestsOfFactors = (server: () => TestServer): Record<string, () => Promise<Sent> | Sent> => ({
  async post_auth_verify_second_factor() {
    const ada = await signUpVerified(server())
    const { app } = await addApp(server(), ada)
    const { challenge } = (await logIn(server(), ada)).body
    return { body: { challenge, code: app.code(1) } }
  },
  post_auth_passkeys_begin_sign_in: () => ({}),
  async post_auth_passkeys_sign_in() {
    const { authenticator } = await addPasskey(server(), await signUpVerified(server()))
    const { body } = await server().call('POST', '/api/auth/passkeys/begin_sign_in')
    return { body: { challenge: body.challenge, response: authenticator.get(body.options) } }
  },
  post_auth_factors_challenge: async () => ({ token: (await signUpVerified(server())).token }),
  async post_auth_factors_remove() {
    const ada = await signUpVerified(server())
    const { factorId } = await addPasskey(server(), ada)
    return { token: ada.token, body: { factor_id: factorId, ...PROOF } }
  },
  post_auth_totp_begin: async () => ({ token: (await signUpVerified(server())).token, body: PROOF }),
  async post_auth_totp_confirm() {
    const { token } = await signUpVerified(server())
    const begun = await server().call('POST', '/api/auth/totp/begin', { token, body: PROOF })
    return { token, body: { code: new App(begun.body.secret).code() } }
  },
  post_auth_passkeys_begin: async () => ({
    token: (await signUpVerified(server())).token,
    body: PROOF,
  }),
  async post_auth_passkeys_register() {
    const { token } = await signUpVerified(server())
    const begun = await server().call('POST', '/api/auth/passkeys/begin', { token, body: PROOF })
    const response = new Authenticator(ORIGIN).create(begun.body.options)
    return { token, body: { challenge: begun.body.challenge, name: 'x', response } }
  },
  async post_auth_recovery_codes_renew() {
    const ada = await signUpVerified(server())
    await addPasskey(server(), ada)
    return { token: ada.token, body: PROOF }
  },
})
