import type { Configuration, IDToken } from 'openid-client'
import type { Config } from '#config'

/** State that is kept from the redirect to the provider until the callback. */
export interface PendingSignIn {
  state: string
  nonce: string
  codeVerifier: string
}

/** Identity asserted by the provider. */
export interface Identity {
  issuer: string
  subject: string
  email: string | null
  emailVerified: boolean
  firstName: string
  lastName: string
}

const SCOPE = 'openid email profile'
const TIMEOUT_SECONDS = 15

/**
 * Client of the operator's OpenID provider: authorization code flow with PKCE. Discovers the provider's metadata on
 * first use.
 */
export class OidcProvider {
  readonly #settings: NonNullable<Config['oidc']>
  readonly #redirectUri: string
  #configuration: Promise<Configuration> | undefined

  constructor(settings: NonNullable<Config['oidc']>, redirectUri: string) {
    this.#settings = settings
    this.#redirectUri = redirectUri
  }

  /** Returns the authorization URL, and the secrets to keep. Throws if the provider cannot be reached. */
  async begin(state: string): Promise<{ url: string; nonce: string; codeVerifier: string }> {
    const openid = await import('openid-client')
    const codeVerifier = openid.randomPKCECodeVerifier()
    const nonce = openid.randomNonce()
    const url = openid.buildAuthorizationUrl(await this.#discover(), {
      redirect_uri: this.#redirectUri,
      scope: SCOPE,
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    })
    return { url: url.href, nonce, codeVerifier }
  }

  /**
   * Exchanges the callback's code for the user's identity. Verifies the ID token's signature, issuer, audience, nonce
   * and expiry. Throws if the exchange or the verification fails.
   */
  async end(query: Record<string, string>, pending: PendingSignIn): Promise<Identity> {
    const openid = await import('openid-client')
    const configuration = await this.#discover()
    const returned = new URL(`${this.#redirectUri}?${new URLSearchParams(query)}`)
    const tokens = await openid.authorizationCodeGrant(configuration, returned, {
      pkceCodeVerifier: pending.codeVerifier,
      expectedNonce: pending.nonce,
      expectedState: pending.state,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (!claims) throw new Error('the provider sent no ID token')
    this.#check(claims)
    // Some providers return the email address and names only from the userinfo endpoint.
    const profile =
      claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint
        ? await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub)
        : claims
    const words = text(profile['name']).split(' ')
    return {
      issuer: claims.iss,
      subject: claims.sub,
      email: text(profile['email']) || null,
      emailVerified: profile['email_verified'] === true,
      firstName: (
        text(profile['given_name']) ||
        words[0] ||
        text(profile['email']).split('@')[0] ||
        ''
      ).slice(0, 100),
      lastName: (text(profile['family_name']) || words.slice(1).join(' ')).slice(0, 100),
    }
  }

  /** Checks claims that the library doesn't check (OpenID Connect Core 1.0, 2 and 3.1.3.7, step 5). */
  #check({ azp, sub }: IDToken): void {
    if (sub === '') throw new Error('the ID token has no subject')
    if (azp !== undefined && azp !== this.#settings.clientId)
      throw new Error('the ID token was issued to another client')
  }

  async #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings
    const { allowInsecureRequests, discovery, enableNonRepudiationChecks } = await import('openid-client')
    this.#configuration ??= discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: TIMEOUT_SECONDS,
      // Makes the library verify signatures. By default, it only trusts the TLS connection to the token endpoint.
      execute: [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])],
    })
    try {
      return await this.#configuration
    } catch (error) {
      this.#configuration = undefined
      throw error
    }
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')
