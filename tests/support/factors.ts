import { Secret, TOTP } from 'otpauth'
import { Authenticator } from './authenticator.ts'
import type { Answer, Client, Person } from './client.ts'
import type { TestServer } from './server.ts'

const STEP_MS = 30_000

/** Signs up a user and marks the email address as verified, which adding a second factor requires. */
export async function signUpVerified(server: TestServer): Promise<Person> {
  const person = await server.signUp()
  await server.server.services.database.sql`
    update users set email_verified_at = now() where id = ${person.userId}`
  return person
}

export class App {
  readonly #totp: TOTP

  constructor(secret: string) {
    this.#totp = new TOTP({ secret: Secret.fromBase32(secret) })
  }

  /** Returns the current code, or the code of the time step `steps` later. */
  code(steps = 0): string {
    return this.#totp.generate({ timestamp: Date.now() + steps * STEP_MS })
  }

  /** Returns a code that differs from the codes of the current and the adjacent time steps. */
  wrongCode(): string {
    const good = [-2, -1, 0, 1, 2].map((steps) => this.code(steps))
    return (
      ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !good.includes(code)) ?? ''
    )
  }
}

/** Adds an authenticator app to a user. The setup uses the current code; forgetCode makes the code valid again. */
export async function addApp(
  server: Client,
  { token, password }: Person,
): Promise<{ app: App; secret: string; recoveryCodes: string[]; factorId: string }> {
  const begun = await server.call('POST', '/api/auth/totp/begin', { token, body: { proof: { password } } })
  if (begun.status !== 200) throw new Error(begun.text)
  const app = new App(begun.body.secret)
  const confirmed = await server.call('POST', '/api/auth/totp/confirm', { token, body: { code: app.code() } })
  if (confirmed.status !== 201) throw new Error(confirmed.text)
  return {
    app,
    secret: begun.body.secret,
    recoveryCodes: confirmed.body.recovery_codes,
    factorId: confirmed.body.factor.id,
  }
}

/** Makes the user's last code valid again, so that tests need not wait for the next time step. */
export const forgetCode = async (server: TestServer, { userId }: Person): Promise<void> => {
  await server.server.services.database
    .sql`update totp_factors set last_used_step = 0 where user_id = ${userId}`
}

/** Answers a challenge with the current code. The code works even if it was already used. */
export async function answerWithCode(
  server: TestServer,
  person: Person,
  app: App,
  challenge: string,
): Promise<Answer> {
  await forgetCode(server, person)
  return answerChallenge(server, challenge, { code: app.code() })
}

export const ORIGIN = 'http://parley.test'

export async function addPasskey(
  server: TestServer,
  { token, password }: Person,
  authenticator = new Authenticator(ORIGIN),
): Promise<{ authenticator: Authenticator; recoveryCodes: string[] | null; factorId: string }> {
  const begun = await server.call('POST', '/api/auth/passkeys/begin', {
    token,
    body: { proof: { password } },
  })
  if (begun.status !== 200) throw new Error(begun.text)
  const { challenge, options } = begun.body
  const body = { challenge, name: 'Laptop', response: authenticator.create(options) }
  const added = await server.call('POST', '/api/auth/passkeys/register', { token, body })
  if (added.status !== 201) throw new Error(added.text)
  return { authenticator, recoveryCodes: added.body.recovery_codes, factorId: added.body.factor.id }
}

export const logIn = (server: TestServer, { email, password }: Person): Promise<Answer> =>
  server.call('POST', '/api/auth/login', { body: { email, password } })

export const answerChallenge = (server: TestServer, challenge: string, proof: object): Promise<Answer> =>
  server.call('POST', '/api/auth/verify_second_factor', { body: { challenge, ...proof } })
