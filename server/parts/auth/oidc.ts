import type { TransactionSql } from 'postgres'
import { AppError, fail } from '#errors'
import type { Client } from '#platform/access/scope.ts'
import type { Redirect } from '#platform/http/define-route.ts'
import { normalizeEmail } from '#platform/mail/address.ts'
import type { Rooms } from '#platform/rooms.ts'
import { hashToken, newToken } from '#platform/secrets/secrets.ts'
import { createUser } from '../users/index.ts'
import { issueToken, redeemOneTimeToken } from './mailed-links.ts'
import { type Identity, OidcProvider, type PendingSignIn } from './oidc-provider.ts'
import type { SignedIn } from './schemas.ts'
import { signedIn } from './sign-in.ts'

const ATTEMPT_SECONDS = 600
const COOKIE = 'parley_oidc'
const PATH = '/api/auth/oidc'

/** Signing in with the operator's OpenID provider (OpenID Connect Core 1.0; RFC 7636): with a browser, in three steps. */
export class OidcSignIn {
  readonly #rooms: Rooms
  readonly #provider: OidcProvider | null

  constructor(rooms: Rooms) {
    this.#rooms = rooms
    const { oidc, baseUrl } = rooms.config
    this.#provider = oidc && new OidcProvider(oidc, `${baseUrl}${PATH}/callback`)
  }

  /** Sends the browser to the provider. Throws auth.oidc_off, auth.oidc_failed. */
  async begin(): Promise<Redirect> {
    const provider = this.#open()
    const { database, secrets, config, log } = this.#rooms
    const [state, browser] = [newToken('st'), newToken('br')]
    const begun = await provider.begin(state).catch((error: unknown) => {
      log.warn({ err: error }, 'the OpenID provider can not be reached')
      throw fail('auth.oidc_failed', {}, { cause: error })
    })
    const stateHash = hashToken(state)
    await database.sql`
      insert into oidc_attempts (state_hash, browser_hash, nonce, code_verifier, expires_at)
      values (${stateHash}, ${hashToken(browser)}, ${begun.nonce}, ${secrets.encrypt(begun.codeVerifier, stateHash)},
        now() + ${ATTEMPT_SECONDS} * interval '1 second')`
    const secure = config.baseUrl.startsWith('https:') ? '; Secure' : ''
    const cookie = `${COOKIE}=${browser}; Path=${PATH}; Max-Age=${ATTEMPT_SECONDS}; HttpOnly; SameSite=Lax${secure}`
    return { location: begun.url, headers: { 'Set-Cookie': cookie } }
  }

  /**
   * Takes the browser back, and sends it on to the console with a code that signs in once within a minute, or with
   * the reason why not. Throws auth.oidc_off, auth.oidc_state.
   */
  async end(query: Record<string, string>, cookies: string | undefined): Promise<Redirect> {
    const provider = this.#open()
    const pending = await this.#takePending(query['state'] ?? '', cookieIn(cookies))
    try {
      const identity = await provider.end(query, pending).catch((error: unknown) => {
        this.#rooms.log.warn({ err: error }, 'a sign-in at the OpenID provider failed')
        throw fail('auth.oidc_failed', {}, { cause: error })
      })
      return this.#backToConsole({ code: await this.#admit(identity) })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return this.#backToConsole({ error: error.message })
    }
  }

  /** Exchanges the code for tokens. Throws auth.link_gone. */
  async exchange(client: Client, code: string): Promise<SignedIn> {
    return this.#rooms.database.sql.begin(async (tx) =>
      signedIn(this.#rooms, tx, await redeemOneTimeToken(tx, code, 'oidc_sign_in'), client, 'provider'),
    )
  }

  #open(): OidcProvider {
    if (!this.#provider) throw fail('auth.oidc_off')
    return this.#provider
  }

  /** Only the browser that began may end it, once. */
  async #takePending(state: string, browser: string): Promise<PendingSignIn> {
    const { database, secrets } = this.#rooms
    const stateHash = hashToken(state)
    const [row] = await database.sql<{ nonce: string; code_verifier: string }[]>`
      delete from oidc_attempts
      where state_hash = ${stateHash} and browser_hash = ${hashToken(browser)} and expires_at > now()
      returning nonce, code_verifier`
    if (!row) throw fail('auth.oidc_state')
    return { state, nonce: row.nonce, codeVerifier: secrets.decrypt(row.code_verifier, stateHash) }
  }

  async #admit(identity: Identity): Promise<string> {
    const { database } = this.#rooms
    return database.sql.begin(async (tx) => {
      const userId = (await findIdentity(tx, identity)) ?? (await this.#link(tx, identity))
      const code = await issueToken(tx, userId, 'oidc_sign_in')
      if (code === null) throw fail('auth.oidc_failed')
      return code
    })
  }

  /**
   * Which account somebody gets who comes for the first time: by the email, and only where both sides know that it is
   * his; else whoever has signed up with another's address would share the account with its owner.
   */
  async #link(tx: TransactionSql, { issuer, subject, email, emailVerified, firstName, lastName }: Identity) {
    if (email === null || !emailVerified) throw fail('auth.oidc_unverified')
    const [known] = await tx<{ id: string; registered: boolean; verified: boolean }[]>`
      select id, registered_at is not null as registered, email_verified_at is not null as verified
      from users where email = ${normalizeEmail(email)}`
    if (known?.registered && !known.verified) throw fail('auth.oidc_account_unverified')
    const { signup, startingCredits } = this.#rooms.config
    if (!known && signup !== 'open') throw fail('auth.signup_closed')
    const names = { first_name: firstName, last_name: lastName }
    const user = known?.registered
      ? known
      : await createUser(tx, { email, ...names, passwordHash: null, startingCredits, emailVerified: true })
    await tx`
      insert into oidc_identities (issuer, subject, user_id) values (${issuer}, ${subject}, ${user.id})
      on conflict do nothing`
    return user.id
  }

  #backToConsole(parameters: Record<string, string>): Redirect {
    const location = `${this.#rooms.config.frontendUrl}/oidc?${new URLSearchParams(parameters)}`
    return { location, headers: { 'Set-Cookie': `${COOKIE}=; Path=${PATH}; Max-Age=0; HttpOnly` } }
  }
}

async function findIdentity(tx: TransactionSql, { issuer, subject }: Identity): Promise<string | undefined> {
  const [row] = await tx<{ user_id: string }[]>`
    select user_id from oidc_identities where issuer = ${issuer} and subject = ${subject}`
  return row?.user_id
}

const cookieIn = (cookies = ''): string => new RegExp(`(?:^|; ?)${COOKIE}=([\\w-]+)`).exec(cookies)?.[1] ?? ''
