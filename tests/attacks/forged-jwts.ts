import { createPrivateKey, generateKeyPairSync, hkdfSync, type KeyObject, randomUUID } from 'node:crypto'
import { type JWTPayload, SignJWT } from 'jose'
import type { Person } from '#tests/support/client.ts'
import type { Stage } from './stage.ts'

/** The PKCS #8 header that precedes the 32 bytes of an Ed25519 private key (RFC 8410). */
const PKCS8_ED25519_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

export type SignToken = (
  payload: JWTPayload,
  header?: object,
  key?: KeyObject | Uint8Array,
) => Promise<string>

/**
 * Returns a function that signs tokens with the server's own key, which is derived from SECRET. Attacks can then test
 * wrong claims under a valid signature.
 */
export function signerOf({ secret }: Stage): SignToken {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', 'parley access tokens', 32))
  const der = Buffer.concat([PKCS8_ED25519_HEAD, seed])
  const rightKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  return (payload, header = {}, key = rightKey) =>
    new SignJWT(payload).setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', ...header }).sign(key)
}

export const claimsIn = (token: string): JWTPayload =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

/** Returns invalid access tokens. The keys describe what is wrong with each token. */
export async function forgeAccessTokens(stage: Stage, person: Person): Promise<Record<string, string>> {
  const sign = signerOf(stage)
  const stranger = await stage.signUp()
  const { body: jwks } = await stage.call('GET', '/.well-known/jwks.json')
  const publicKey: string = jwks.keys[0].x
  const attacker = generateKeyPairSync('ed25519')
  const now = Math.floor(Date.now() / 1000)
  const claims = { ...claimsIn(person.token), iat: now, exp: now + 600, jti: randomUUID() }
  const without = (name: string): JWTPayload =>
    Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name))
  const [head, payload, signature = ''] = (await sign({ ...claims, jti: randomUUID() })).split('.')

  const forged: Record<string, string> = {
    'alg none': unsigned({ alg: 'none', typ: 'at+jwt' }, claims),
    'alg none in mixed case': unsigned({ alg: 'nOnE', typ: 'at+jwt' }, claims),
    'no alg': unsigned({ typ: 'at+jwt' }, claims),
    'an empty signature': `${head}.${payload}.`,
    'no signature': `${head}.${payload}`,
    'a changed signature': `${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
    'the signature of another token': unsigned({ alg: 'EdDSA', typ: 'at+jwt' }, claims, signature),
    'a critical extension': unsigned(
      { alg: 'EdDSA', typ: 'at+jwt', crit: ['x'], x: 1 },
      claims,
      'x'.repeat(86),
    ),
    'another key': await sign(claims, {}, attacker.privateKey),
    "the attacker's key in the header": await sign(
      claims,
      { jwk: attacker.publicKey.export({ format: 'jwk' }) },
      attacker.privateKey,
    ),
    "the attacker's key set in the header": await sign(
      claims,
      { jku: `${stage.receiver.url}/jwks`, kid: 'mine' },
      attacker.privateKey,
    ),
    'another type': await sign(claims, { typ: 'JWT' }),
    'the type of a visitor': await sign(claims, { typ: 'visitor+jwt' }),
    'no type': await sign(claims, { typ: undefined }),
    'another issuer': await sign({ ...claims, iss: 'https://attacker.example' }),
    'another audience': await sign({ ...claims, aud: 'https://attacker.example' }),
    expired: await sign({ ...claims, iat: now - 1000, exp: now - 1 }),
    'an expiry that is a string': await sign({ ...claims, exp: `${now + 600}` as never }).catch(
      () => 'x.y.z',
    ),
    'not valid yet': await sign({ ...claims, nbf: now + 600 }),
    'a session that never existed': await sign({ ...claims, sid: randomUUID() }),
    'a session that is SQL': await sign({ ...claims, sid: "' or 1=1 --" }),
    "another user's session": await sign({ ...claims, sub: stranger.userId }),
    'a visitor token of a person': `vt_${await sign(claims)}`,
  }
  for (const name of ['iss', 'aud', 'exp', 'sub', 'sid']) forged[`no ${name}`] = await sign(without(name))
  for (const encoding of ['base64url', 'base64', 'hex', 'utf8'] as const) {
    const bytes = Buffer.from(
      encoding === 'utf8' ? publicKey : Buffer.from(publicKey, 'base64url').toString(encoding),
    )
    const secret = Buffer.concat([bytes, Buffer.alloc(Math.max(0, 32 - bytes.length))])
    forged[`HS256 with the public key (${encoding})`] = await sign(claims, { alg: 'HS256' }, secret)
  }
  return forged
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const unsigned = (header: object, payload: JWTPayload, signature = ''): string =>
  `${encode(header)}.${encode(payload)}.${signature}`
