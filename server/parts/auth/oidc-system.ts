import { type SystemTransaction, systemSql } from '#database/system-sql.ts'
import { AppError, fail } from '#errors'
import type { Client } from '#platform/access/scope.ts'
import { type Cookie, clearCookie, setCookie } from '#platform/http/cookies.ts'
import type { Redirect } from '#platform/http/define-route.ts'
import { normalizeEmail } from '#platform/mail/address.ts'
import { hashToken, newToken } from '#platform/secrets/secrets.ts'
import type { Services } from '#platform/services.ts'
import { createUser } from '../users/index.ts'
import { issueToken, ONE_TIME_SECONDS, proveAddress, redeemOneTimeToken } from './mailed-links-system.ts'
import { type Identity, OidcProvider, type PendingSignIn } from './oidc-provider.ts'
import type { SignedIn } from './schemas.ts'
import { signedIn } from './sign-in-system.ts'

const ATTEMPT_SECONDS = 600
const PATH = '/api/auth/oidc'

/**
 * Signs in with the operator's OpenID provider (OpenID Connect Core 1.0; RFC 7636). A sign-in has three steps: begin,
 * end and exchange. A cookie binds all steps to the browser that began. Otherwise, an attacker could sign a victim's
 * browser in to the attacker's account (RFC 9700, 4.7).
 */
export class OidcSignIn {
  readonly #services: Services
  readonly #provider: OidcProvider | null
  readonly cookie: Cookie

  constructor(services: Services) {
    this.#services = services
    const { oidc, baseUrl } = services.config
    const isSecure = baseUrl.startsWith('https:')
    this.cookie = { name: `${isSecure ? '__Host-' : ''}parley_oidc`, path: '/', sameSite: 'Lax', isSecure }
    this.#provider = oidc && new OidcProvider(oidc, `${baseUrl}${PATH}/callback`)
  }

  /** Redirects the browser to the provider. Throws auth.oidc_off, auth.oidc_failed. */
  async begin(): Promise<Redirect> {
    const provider = this.#open()
    const { database, secrets, log } = this.#services
    const [state, browser] = [newToken('st'), newToken('br')]
    const pendingSignIn = await provider.begin(state).catch((error: unknown) => {
      log.warn({ err: error }, 'the OpenID provider cannot be reached')
      throw fail('auth.oidc_failed', {}, { cause: error })
    })
    const stateHash = hashToken(state)
    await systemSql(database)`
      insert into oidc_attempts (state_hash, browser_hash, nonce, code_verifier, expires_at)
      values (${stateHash}, ${hashToken(browser)}, ${pendingSignIn.nonce}, ${secrets.encrypt(pendingSignIn.codeVerifier, stateHash)},
        now() + ${ATTEMPT_SECONDS} * interval '1 second')`
    return {
      location: pendingSignIn.url,
      headers: { 'Set-Cookie': setCookie(this.cookie, browser, ATTEMPT_SECONDS) },
    }
  }

  /**
   * Handles the provider's redirect. Redirects to the console with an error or with a code. The code is valid once,
   * for one minute, and only in this browser. Throws auth.oidc_off, auth.oidc_state.
   */
  async end(client: Client, query: Record<string, string>, browser: string | null): Promise<Redirect> {
    const provider = this.#open()
    if (browser === null) throw fail('auth.oidc_state')
    const pending = await this.#takePending(query['state'] ?? '', browser)
    try {
      const identity = await provider.end(query, pending).catch((error: unknown) => {
        this.#services.log.warn({ err: error }, 'sign-in with the OpenID provider failed')
        throw fail('auth.oidc_failed', {}, { cause: error })
      })
      const code = await this.#admit(client, identity, browser)
      return this.#backToConsole({ code }, setCookie(this.cookie, browser, ONE_TIME_SECONDS.oidc_sign_in))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return this.#backToConsole({ error: error.message }, clearCookie(this.cookie))
    }
  }

  /** Exchanges the code for tokens in the same browser. Throws auth.link_gone. */
  async exchange(client: Client, code: string, browser: string | null): Promise<SignedIn> {
    if (browser === null) throw fail('auth.link_gone')
    return systemSql(this.#services.database).begin(async (tx) =>
      signedIn(
        this.#services,
        tx,
        await redeemOneTimeToken(tx, code, 'oidc_sign_in', browser),
        client,
        'provider',
      ),
    )
  }

  #open(): OidcProvider {
    if (!this.#provider) throw fail('auth.oidc_off')
    return this.#provider
  }

  /** Consumes a pending sign-in. Throws auth.oidc_state, also if another browser began the sign-in. */
  async #takePending(state: string, browser: string): Promise<PendingSignIn> {
    const { database, secrets } = this.#services
    const stateHash = hashToken(state)
    const [row] = await systemSql(database)<{ nonce: string; code_verifier: string }[]>`
      delete from oidc_attempts
      where state_hash = ${stateHash} and browser_hash = ${hashToken(browser)} and expires_at > now()
      returning nonce, code_verifier`
    if (!row) throw fail('auth.oidc_state')
    return { state, nonce: row.nonce, codeVerifier: secrets.decrypt(row.code_verifier, stateHash) }
  }

  async #admit(client: Client, identity: Identity, browser: string): Promise<string> {
    const { database } = this.#services
    return systemSql(database).begin(async (tx) => {
      const userId = (await findIdentity(tx, identity)) ?? (await this.#link(tx, client, identity))
      const code = await issueToken(tx, userId, 'oidc_sign_in', browser)
      if (code === null) throw fail('auth.oidc_failed')
      return code
    })
  }

  /**
   * Links a new identity to the account with its email address, or creates the account. The provider has verified the
   * address. The user therefore owns it, and older access to an existing account ends, because someone else may have
   * signed up with the address. Throws auth.oidc_unverified, auth.signup_closed.
   */
  async #link(
    tx: SystemTransaction,
    client: Client,
    { issuer, subject, email, emailVerified, firstName, lastName }: Identity,
  ): Promise<string> {
    if (email === null || !emailVerified) throw fail('auth.oidc_unverified')
    const [known] = await tx<{ id: string; registered: boolean }[]>`
      select id, registered_at is not null as registered from users where email = ${normalizeEmail(email)}`
    const { signup } = this.#services.config
    if (!known && signup !== 'open') throw fail('auth.signup_closed')
    const names = { first_name: firstName, last_name: lastName }
    const user = known?.registered
      ? known
      : await createUser(tx, this.#services, {
          email,
          ...names,
          passwordHash: null,
          language: client.language,
          emailVerified: true,
        })
    if (known?.registered) await proveAddress(this.#services, tx, client, user.id, null)
    await tx`
      insert into oidc_identities (issuer, subject, user_id) values (${issuer}, ${subject}, ${user.id})
      on conflict do nothing`
    return user.id
  }

  #backToConsole(parameters: Record<string, string>, cookie: string): Redirect {
    const location = `${this.#services.config.frontendUrl}/oidc?${new URLSearchParams(parameters)}`
    return { location, headers: { 'Set-Cookie': cookie } }
  }
}

async function findIdentity(
  tx: SystemTransaction,
  { issuer, subject }: Identity,
): Promise<string | undefined> {
  const [row] = await tx<{ user_id: string }[]>`
    select user_id from oidc_identities where issuer = ${issuer} and subject = ${subject}`
  return row?.user_id
}
