import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Authenticator } from '#tests/support/authenticator.ts'
import type { Person } from '#tests/support/client.ts'
import { addApp, addPasskey, answerChallenge, logIn, ORIGIN, signUpVerified } from '#tests/support/factors.ts'
import { mailTo } from '#tests/support/mail.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

let server: TestServer

beforeAll(async () => {
  server = await sharedTestServer()
})
afterAll(() => server.stop())

const begin = async () => (await server.call('POST', '/api/auth/passkeys/begin_sign_in')).body
const signIn = (challenge: string, response: object) =>
  server.call('POST', '/api/auth/passkeys/sign_in', { body: { challenge, response } })

/** Faults that make a signature invalid. */
const LIES: [string, Parameters<Authenticator['get']>[1]][] = [
  ['another origin', { origin: 'https://evil.example.com' }],
  ['another relying party', { rpId: 'evil.example.com' }],
  ['another challenge', { challenge: randomBytes(32).toString('base64url') }],
  ['no verification of the user', { isUserVerified: false }],
]

describe('a passkey as second factor', () => {
  let person: Person
  let authenticator: Authenticator

  beforeAll(async () => {
    person = await signUpVerified(server)
    const added = await addPasskey(server, person)
    expect(added.recoveryCodes).toHaveLength(10)
    ;({ authenticator } = added)
    await mailTo(server, person.email, 'passkey was added')
  })

  test('signs the challenge that follows the password', async () => {
    const { body } = await logIn(server, person)
    expect(body.methods).toEqual(['passkey', 'recovery_code'])
    expect(body.passkey_options).toMatchObject({
      rpId: 'parley.test',
      userVerification: 'required',
      allowCredentials: [{ id: authenticator.id.toString('base64url') }],
    })
    const answer = { passkey: authenticator.get(body.passkey_options) }
    expect((await answerChallenge(server, body.challenge, answer)).status).toBe(200)
    expect((await answerChallenge(server, body.challenge, answer)).body.code).toBe('auth.challenge_gone')
  })

  test.each(LIES)('is refused with %s, and the challenge is used up', async (_, lie) => {
    const { body } = await logIn(server, person)
    const wrong = { passkey: authenticator.get(body.passkey_options, lie) }
    expect((await answerChallenge(server, body.challenge, wrong)).body.code).toBe('auth.wrong_passkey')
    const right = { passkey: authenticator.get(body.passkey_options) }
    expect((await answerChallenge(server, body.challenge, right)).body.code).toBe('auth.challenge_gone')
  })

  test('is refused if its counter decreases, because it was cloned', async () => {
    const { counter } = authenticator
    authenticator.counter = 0
    const { body } = await logIn(server, person)
    const cloned = { passkey: authenticator.get(body.passkey_options) }
    expect((await answerChallenge(server, body.challenge, cloned)).body.code).toBe('auth.wrong_passkey')
    authenticator.counter = counter
  })

  test('of another user is refused', async () => {
    const eve = await signUpVerified(server)
    const { authenticator: hers } = await addPasskey(server, eve)
    const { body } = await logIn(server, person)
    const foreign = { passkey: hers.get(body.passkey_options) }
    expect((await answerChallenge(server, body.challenge, foreign)).body.code).toBe('auth.wrong_passkey')
  })

  test('signs in once if the same response is sent twice concurrently', async () => {
    const { body } = await logIn(server, person)
    const answer = { passkey: authenticator.get(body.passkey_options) }
    const both = await Promise.all([1, 2].map(() => answerChallenge(server, body.challenge, answer)))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 410])
  })

  test('signs in alone, without email and password', async () => {
    const { challenge, options } = await begin()
    expect(options.allowCredentials ?? []).toEqual([])
    const answer = await signIn(challenge, authenticator.get(options))
    expect(answer.status).toBe(200)
    expect(answer.body.user.email).toBe(person.email)
    const { access_token: token } = answer.body
    expect((await server.call('GET', '/api/auth/factors/list', { token })).body.in_this_session).toBe(true)
    expect((await signIn(challenge, authenticator.get(options))).body.code).toBe('auth.challenge_gone')
  })

  test.each(LIES)('does not sign in alone with %s', async (_, lie) => {
    const { challenge, options } = await begin()
    expect((await signIn(challenge, authenticator.get(options, lie))).body.code).toBe('auth.wrong_passkey')
  })

  test('that is not registered does not sign in, nor does one with a challenge of another kind', async () => {
    const { challenge, options } = await begin()
    expect((await signIn(challenge, new Authenticator(ORIGIN).get(options))).body.code).toBe(
      'auth.wrong_passkey',
    )
    const asked = (await logIn(server, person)).body
    expect((await signIn(asked.challenge, authenticator.get(asked.passkey_options))).body.code).toBe(
      'auth.challenge_gone',
    )
    const other = await begin()
    expect(
      (await answerChallenge(server, other.challenge, { passkey: authenticator.get(other.options) })).body
        .code,
    ).toBe('auth.challenge_gone')
  })

  test("proves the user's identity with a challenge of this session, once", async () => {
    const { token } = person
    const challengeFor = async (whose: string) =>
      (await server.call('POST', '/api/auth/factors/challenge', { token: whose })).body
    const renew = async ({ challenge, options }: { challenge: string; options: { challenge: string } }) => {
      const proof = { passkey: { challenge, response: authenticator.get(options) } }
      return server.call('POST', '/api/auth/recovery_codes/renew', { token, body: { proof } })
    }
    const mine = await challengeFor(token)
    expect((await renew(mine)).status).toBe(201)
    expect((await renew(mine)).body.code).toBe('auth.factor_challenge_gone')
    const eve = await signUpVerified(server)
    expect((await renew(await challengeFor(eve.token))).body.code).toBe('auth.factor_challenge_gone')
  })

  test('is renamed and removed by its owner', async () => {
    const ada = await signUpVerified(server)
    const { token, password } = ada
    const { factorId } = await addPasskey(server, ada)
    await addApp(server, ada)
    const rename = (whose: string) =>
      server.call('PUT', `/api/auth/factors/update?factor_id=${factorId}`, {
        token: whose,
        body: { name: 'Key' },
      })
    expect((await rename(person.token)).status).toBe(404)
    expect((await rename(token)).body).toMatchObject({ id: factorId, type: 'passkey', name: 'Key' })
    const body = { factor_id: factorId, proof: { password } }
    expect((await server.call('POST', '/api/auth/factors/remove', { token, body })).status).toBe(200)
    expect((await logIn(server, ada)).body.methods).toEqual(['totp', 'recovery_code'])
  })
})

describe('the registration of a passkey', () => {
  test.each(LIES)('is refused with %s', async (_, lie) => {
    const { token, password } = await signUpVerified(server)
    const begun = await server.call('POST', '/api/auth/passkeys/begin', {
      token,
      body: { proof: { password } },
    })
    const { challenge, options } = begun.body
    const response = new Authenticator(ORIGIN).create(options, lie)
    const answer = await server.call('POST', '/api/auth/passkeys/register', {
      token,
      body: { challenge, name: 'x', response },
    })
    expect(answer.body.code).toBe('auth.passkey_invalid')
  })

  test('requires an unused challenge of this session, and a passkey belongs to one account', async () => {
    const [ada, eve] = [await signUpVerified(server), await signUpVerified(server)]
    const { authenticator } = await addPasskey(server, ada)
    const optionsFor = async ({ token, password }: Person) =>
      (await server.call('POST', '/api/auth/passkeys/begin', { token, body: { proof: { password } } })).body
    const register = (challenge: string, response: object) =>
      server.call('POST', '/api/auth/passkeys/register', {
        token: eve.token,
        body: { challenge, name: 'x', response },
      })
    const hers = await optionsFor(ada)
    expect((await register(hers.challenge, new Authenticator(ORIGIN).create(hers.options))).body.code).toBe(
      'auth.factor_challenge_gone',
    )
    const own = await optionsFor(eve)
    expect((await register(own.challenge, authenticator.create(own.options))).body.code).toBe(
      'auth.passkey_exists',
    )
    expect((await register(own.challenge, new Authenticator(ORIGIN).create(own.options))).body.code).toBe(
      'auth.factor_challenge_gone',
    )
  })
})
