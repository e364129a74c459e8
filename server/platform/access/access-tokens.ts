import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import {
  calculateJwkThumbprint,
  exportJWK,
  type JWK,
  type JWTHeaderParameters,
  jwtVerify,
  SignJWT,
} from 'jose'
import { UUID } from '#database/new-id.ts'
import { fail } from '#errors'
import { deriveKeys, type SecretPair } from '#platform/secrets/secrets.ts'

export const ACCESS_TOKEN_SECONDS = 15 * 60
const TOKEN_TYPE = 'at+jwt'
export const VISITOR_TOKEN_SECONDS = 60 * 60
const VISITOR_TOKEN_TYPE = 'visitor+jwt'
/**
 * Maximum number of cached tokens. A cached token's signature is not verified again until the token expires. Sessions
 * and permissions are never cached.
 */
const VERIFIED_TOKENS_MAX = 10_000

export interface AccessTokens {
  /** Public keys for /.well-known/jwks.json (RFC 7517). */
  jwks: { keys: JWK[] }
  sign(claims: { userId: string; sessionId: string; email: string; tokenId: string }): Promise<string>
  /**
   * Returns the user and session named in the token. Does not check whether the session is still active. Throws
   * auth.invalid_token.
   */
  verify(token: string): Promise<TokenClaims>
  signVisitor(visitor: Visitor): Promise<string>
  /**
   * Returns the visitor named in the token. Does not check whether the deployment still exists. Throws
   * auth.invalid_token.
   */
  verifyVisitor(token: string): Promise<Visitor>
}

/** An anonymous user of a deployment's chat. */
export interface Visitor {
  deploymentId: string
  visitorId: string
}

export interface TokenClaims {
  userId: string
  sessionId: string
}

/**
 * Creates the service that signs and verifies access tokens: JWTs signed with EdDSA (RFC 9068, RFC 8037). The signing
 * key is derived from the installation's secret, so all processes share the key without storing it. Tokens signed
 * with the key of the previous secret are accepted.
 */
export async function createAccessTokens(secrets: SecretPair, issuer: string): Promise<AccessTokens> {
  const [seed, ...previousSeeds] = deriveKeys(secrets, 'access tokens')
  const [{ privateKey, kid, ...own }, ...previous] = [
    await signingKey(seed),
    ...(await Promise.all(previousSeeds.map(signingKey))),
  ] as const
  const keys = [{ kid, ...own }, ...previous]
  const publicKeyOf = (header: JWTHeaderParameters): KeyObject =>
    keys.find((key) => key.kid === header.kid)?.publicKey ?? own.publicKey
  const verified = new Map<string, TokenClaims & { expiresAt: number }>()

  async function verifySignature(token: string): Promise<TokenClaims & { expiresAt: number }> {
    const { payload } = await jwtVerify(token, publicKeyOf, {
      algorithms: ['EdDSA'],
      issuer,
      audience: issuer,
      typ: TOKEN_TYPE,
      requiredClaims: ['sub', 'sid', 'exp', 'iat', 'jti'],
    })
    const [userId, sessionId] = [String(payload.sub), String(payload['sid'])]
    if (!UUID.test(userId) || !UUID.test(sessionId)) throw new Error('sub and sid must be ids')
    return { userId, sessionId, expiresAt: Number(payload.exp) }
  }

  async function verifyVisitor(token: string): Promise<Visitor> {
    const { payload } = await jwtVerify(token, publicKeyOf, {
      algorithms: ['EdDSA'],
      issuer,
      audience: issuer,
      typ: VISITOR_TOKEN_TYPE,
      requiredClaims: ['sub', 'deployment', 'exp', 'iat'],
    })
    return { deploymentId: String(payload['deployment']), visitorId: String(payload.sub) }
  }

  return {
    jwks: { keys: keys.map((key) => ({ ...key.jwk, kid: key.kid, alg: 'EdDSA', use: 'sig' })) },
    sign: ({ userId, sessionId, email, tokenId }) =>
      new SignJWT({ sid: sessionId, email })
        .setProtectedHeader({ alg: 'EdDSA', typ: TOKEN_TYPE, kid })
        .setSubject(userId)
        .setIssuer(issuer)
        .setAudience(issuer)
        .setJti(tokenId)
        .setIssuedAt()
        .setExpirationTime(`${ACCESS_TOKEN_SECONDS}s`)
        .sign(privateKey),
    signVisitor: ({ deploymentId, visitorId }) =>
      new SignJWT({ deployment: deploymentId })
        .setProtectedHeader({ alg: 'EdDSA', typ: VISITOR_TOKEN_TYPE, kid })
        .setSubject(visitorId)
        .setIssuer(issuer)
        .setAudience(issuer)
        .setIssuedAt()
        .setExpirationTime(`${VISITOR_TOKEN_SECONDS}s`)
        .sign(privateKey),
    verifyVisitor: (token) =>
      verifyVisitor(token).catch((cause: unknown) => {
        throw fail('auth.invalid_token', {}, { cause })
      }),
    async verify(token) {
      const known = verified.get(token)
      if (known && known.expiresAt > Date.now() / 1000) return known
      verified.delete(token)
      try {
        const claims = await verifySignature(token)
        if (verified.size >= VERIFIED_TOKENS_MAX) verified.clear()
        verified.set(token, claims)
        return claims
      } catch (cause) {
        throw fail('auth.invalid_token', {}, { cause })
      }
    },
  }
}

interface SigningKey {
  privateKey: KeyObject
  publicKey: KeyObject
  jwk: JWK
  kid: string
}

/** Fixed PKCS #8 header of an Ed25519 private key (RFC 8410). Any 32 bytes after the header are a valid key. */
const PKCS8_ED25519_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

async function signingKey(seed: Buffer): Promise<SigningKey> {
  const key = Buffer.concat([PKCS8_ED25519_HEAD, seed])
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(privateKey)
  const jwk = await exportJWK(publicKey)
  return { privateKey, publicKey, jwk, kid: await calculateJwkThumbprint(jwk) }
}
