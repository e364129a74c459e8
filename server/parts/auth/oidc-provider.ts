import type { Configuration, IDToken } from 'openid-client'
import type { Config } from '#config'

/** What has to be kept between the browser's leaving and its return. */
export interface PendingSignIn {
  state: string
  nonce: string
  codeVerifier: string
}

/** Whom the provider says it was. */
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

/** The operator's OpenID provider: authorization code with PKCE. What it is like is asked when it is first needed. */
export class OidcProvider {
  readonly #settings: NonNullable<Config['oidc']>
  readonly #redirectUri: string
  #configuration: Promise<Configuration> | undefined

  constructor(settings: NonNullable<Config['oidc']>, redirectUri: string) {
    this.#settings = settings
    this.#redirectUri = redirectUri
  }

  /** Where to send the browser. Throws where the provider can't be reached. */
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

  /** Exchanges the code that the browser brought back; signature, issuer, audience, nonce and expiry are checked. */
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
    // Some providers tell email and names at their userinfo endpoint only.
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

  /** Refuses what the library lets pass (OpenID Connect Core 1.0, 2 and 3.1.3.7, step 5). */
  #check({ azp, sub }: IDToken): void {
    if (sub === '') throw new Error('the ID token names nobody')
    if (azp !== undefined && azp !== this.#settings.clientId)
      throw new Error('the ID token was given to another client')
  }

  async #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings
    const { allowInsecureRequests, discovery, enableNonRepudiationChecks } = await import('openid-client')
    this.#configuration ??= discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: TIMEOUT_SECONDS,
      // Without this the library trusts the connection to the token endpoint, and reads no signature.
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
