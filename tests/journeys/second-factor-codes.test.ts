import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  addApp,
  addPasskey,
  answerChallenge,
  forgetCode,
  logIn,
  signUpVerified,
} from '#tests/support/factors.ts'
import { mailTo } from '#tests/support/mail.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

let server: TestServer

beforeAll(async () => {
  server = await sharedTestServer()
})
afterAll(() => server.stop())

describe('an authenticator app', () => {
  test('is required after the password, before any token is issued', async () => {
    const person = await signUpVerified(server)
    const { app, recoveryCodes } = await addApp(server, person)
    expect(recoveryCodes).toHaveLength(10)
    await forgetCode(server, person)
    const asked = await logIn(server, person)
    expect(asked.status).toBe(401)
    expect(asked.body).toEqual({
      detail: expect.any(String),
      code: 'auth.second_factor_needed',
      challenge: expect.stringMatching(/^ch_/),
      methods: ['totp', 'recovery_code'],
      request_id: expect.any(String),
    })
    const done = await answerChallenge(server, asked.body.challenge, { code: app.code() })
    expect(done.status).toBe(200)
    expect(done.body).toMatchObject({ user: { email: person.email }, token_type: 'Bearer' })
    expect((await answerChallenge(server, asked.body.challenge, { code: app.code(1) })).body.code).toBe(
      'auth.challenge_gone',
    )
  })

  test('is requested in the envelope under /v1', async () => {
    const person = await signUpVerified(server)
    await addApp(server, person)
    const { email, password } = person
    const asked = await server.call('POST', '/v1/auth/login', { body: { email, password } })
    expect(asked.body.error).toMatchObject({
      code: 'unauthorized',
      details: { code: 'auth.second_factor_needed', methods: ['totp', 'recovery_code'] },
    })
  })

  test('accepts each code once, and no older code after a newer one', async () => {
    const person = await signUpVerified(server)
    const { app } = await addApp(server, person)
    // All codes are of the time step in which the app was added, even if the test continues into the next one.
    const [before, added, after, late] = [app.code(-1), app.code(), app.code(1), app.code(3)]
    const challenge = async () => (await logIn(server, person)).body.challenge
    expect((await answerChallenge(server, await challenge(), { code: added })).body.code).toBe(
      'auth.wrong_code',
    )
    expect((await answerChallenge(server, await challenge(), { code: after })).status).toBe(200)
    for (const code of [after, added, before])
      expect((await answerChallenge(server, await challenge(), { code })).status).toBe(401)
    await forgetCode(server, person)
    expect((await answerChallenge(server, await challenge(), { code: late })).status).toBe(401)
  })

  test('accepts the same code once from two concurrent requests', async () => {
    const person = await signUpVerified(server)
    const { app, recoveryCodes } = await addApp(server, person)
    await forgetCode(server, person)
    for (const proof of [{ code: app.code() }, { recovery_code: recoveryCodes[0] }]) {
      const challenges = await Promise.all([
        logIn(server, person),
        logIn(server, person),
        logIn(server, person),
      ])
      const answers = await Promise.all(
        challenges.map(({ body }) => answerChallenge(server, body.challenge, proof)),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
    }
    await forgetCode(server, person)
    const { challenge } = (await logIn(server, person)).body
    const twice = await Promise.all(
      [1, 2].map(() => answerChallenge(server, challenge, { code: app.code() })),
    )
    expect(twice.map(({ status }) => status).sort()).toEqual([200, 410])
  })

  test('is set up only with the password or a factor, once, and with a correct first code', async () => {
    const person = await signUpVerified(server)
    const { token } = person
    const begin = (proof: object) => server.call('POST', '/api/auth/totp/begin', { token, body: { proof } })
    expect((await begin({ password: 'wrong password' })).body.code).toBe('auth.wrong_proof')
    expect((await begin({ password: person.password, code: '123456' })).status).toBe(400)
    expect((await begin({})).status).toBe(400)
    const confirm = (code: string) => server.call('POST', '/api/auth/totp/confirm', { token, body: { code } })
    expect((await confirm('123456')).body.code).toBe('auth.totp_not_begun')
    expect((await begin({ password: person.password })).body.otpauth_url).toMatch(/^otpauth:\/\/totp\/Parley/)
    expect((await confirm('12345a')).body.code).toBe('auth.totp_wrong_code')
    expect((await logIn(server, person)).status).toBe(200)
    const { app } = await addApp(server, person)
    expect((await begin({ code: app.code(1) })).body.code).toBe('auth.totp_exists')
  })

  test('requires a confirmed address', async () => {
    const person = await server.signUp()
    for (const path of ['totp/begin', 'passkeys/begin']) {
      const body = { proof: { password: person.password } }
      const answer = await server.call('POST', `/api/auth/${path}`, { token: person.token, body })
      expect(answer.body.code).toBe('auth.factor_unverified')
    }
  })

  test('is removed with a proof; afterwards the password alone signs in', async () => {
    const person = await signUpVerified(server)
    const { token, password } = person
    const { factorId } = await addApp(server, person)
    const remove = (proof: object, factor_id = factorId) =>
      server.call('POST', '/api/auth/factors/remove', { token, body: { factor_id, proof } })
    expect((await remove({ password: 'wrong password' })).body.code).toBe('auth.wrong_proof')
    expect((await remove({ password }, randomUUID())).body.code).toBe('auth.factor_not_found')
    const other = await signUpVerified(server)
    const foreign = { token: other.token, body: { factor_id: factorId, proof: { password } } }
    expect((await server.call('POST', '/api/auth/factors/remove', foreign)).status).toBe(404)
    expect((await remove({ password })).status).toBe(200)
    expect((await server.call('GET', '/api/auth/factors/list', { token })).body).toEqual({
      factors: [],
      recovery_codes_left: 0,
      has_password: true,
      in_this_session: false,
    })
    expect((await logIn(server, person)).status).toBe(200)
    await mailTo(server, person.email, 'authenticator app was added')
    await mailTo(server, person.email, 'authenticator app was removed')
    const entries = await server.call('GET', `/api/audit/list?org_id=${person.organizationId}`, { token })
    const noted = entries.body.data.filter(
      ({ action }: { action: string }) => action === 'member.second_factor_changed',
    )
    expect(noted.map(({ after }: { after: object }) => after)).toEqual([
      { event: 'totp removed' },
      { event: 'totp added' },
    ])
  })
})

describe('guesses', () => {
  test('end a challenge after 5, and block the account after 10 in all challenges', async () => {
    const person = await signUpVerified(server)
    const { app, recoveryCodes } = await addApp(server, person)
    await forgetCode(server, person)
    const wrong = app.wrongCode()
    const statuses: number[] = []
    for (let round = 0; round < 2; round++) {
      const { challenge } = (await logIn(server, person)).body
      for (let guess = 0; guess < 5; guess++)
        statuses.push((await answerChallenge(server, challenge, { code: wrong })).status)
      expect((await answerChallenge(server, challenge, { code: app.code() })).body.code).toBe(
        'auth.challenge_gone',
      )
    }
    expect(statuses).toEqual(Array(10).fill(401))
    const { challenge } = (await logIn(server, person)).body
    for (const proof of [{ code: app.code() }, { recovery_code: recoveryCodes[0] }]) {
      const refused = await answerChallenge(server, challenge, proof)
      expect(refused.body.code).toBe('auth.too_many_codes')
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    await mailTo(server, person.email, 'Too many sign-in codes')
  })

  test('are counted even with an Idempotency-Key', async () => {
    const person = await signUpVerified(server)
    const { app } = await addApp(server, person)
    const { challenge } = (await logIn(server, person)).body
    for (let guess = 0; guess < 5; guess++) {
      const body = { challenge, code: app.wrongCode() }
      const headers = { 'idempotency-key': randomUUID() }
      expect((await server.call('POST', '/api/auth/verify_second_factor', { body, headers })).status).toBe(
        401,
      )
    }
    expect((await answerChallenge(server, challenge, { code: app.code(1) })).body.code).toBe(
      'auth.challenge_gone',
    )
  })

  test('in a proof are counted as well', async () => {
    const person = await signUpVerified(server)
    const { app } = await addApp(server, person)
    const body = { proof: { code: app.wrongCode() } }
    const codes: string[] = []
    for (let guess = 0; guess < 11; guess++)
      codes.push(
        (await server.call('POST', '/api/auth/recovery_codes/renew', { token: person.token, body })).body
          .code,
      )
    expect(codes).toEqual([...Array(10).fill('auth.wrong_proof'), 'auth.too_many_codes'])
  })
})

describe('recovery codes', () => {
  test('work once each in any spelling, and are replaced as a whole', async () => {
    const person = await signUpVerified(server)
    const { recoveryCodes } = await addApp(server, person)
    const signIn = async (recovery_code: string) =>
      answerChallenge(server, (await logIn(server, person)).body.challenge, { recovery_code })
    const spelled = recoveryCodes[0]?.toUpperCase().replaceAll('-', ' ') ?? ''
    expect((await signIn(spelled)).status).toBe(200)
    expect((await signIn(spelled)).body.code).toBe('auth.wrong_recovery_code')
    await mailTo(server, person.email, 'recovery code of your account was used')
    const { token, password } = person
    expect((await server.call('GET', '/api/auth/factors/list', { token })).body.recovery_codes_left).toBe(9)
    const renewed = await server.call('POST', '/api/auth/recovery_codes/renew', {
      token,
      body: { proof: { password } },
    })
    expect(renewed.body.recovery_codes).toHaveLength(10)
    expect((await signIn(recoveryCodes[1] ?? '')).status).toBe(401)
    expect((await signIn(renewed.body.recovery_codes[0])).status).toBe(200)
  })

  test('of one user do not work for another', async () => {
    const [ada, eve] = [await signUpVerified(server), await signUpVerified(server)]
    const { recoveryCodes } = await addApp(server, ada)
    await addApp(server, eve)
    const { challenge } = (await logIn(server, eve)).body
    expect((await answerChallenge(server, challenge, { recovery_code: recoveryCodes[0] })).status).toBe(401)
  })

  test('require a factor', async () => {
    const { token, password } = await signUpVerified(server)
    const answer = await server.call('POST', '/api/auth/recovery_codes/renew', {
      token,
      body: { proof: { password } },
    })
    expect(answer.body.code).toBe('auth.no_factor')
  })
})

test('storage reveals neither secret nor codes, and an export has only names', async () => {
  const person = await signUpVerified(server)
  const { token, password } = person
  const begun = await server.call('POST', '/api/auth/totp/begin', { token, body: { proof: { password } } })
  const { sql } = server.server.services.database
  const [row] = await sql`select secret from totp_factors where user_id = ${person.userId}`
  expect(row?.['secret']).not.toContain(begun.body.secret)
  const { recoveryCodes } = await addPasskey(server, person)
  const hashes = await sql<{ code_hash: string }[]>`
    select code_hash from recovery_codes where user_id = ${person.userId}`
  expect(hashes.map(({ code_hash }) => code_hash)).not.toEqual(expect.arrayContaining([recoveryCodes?.[0]]))
})
