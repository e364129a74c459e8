import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2) as (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer>

/**
 * One of OWASP's equally strong choices for argon2id: 7 MiB, five passes, one lane. The one with least memory, because
 * the allocator keeps it for each of the four threads that hash.
 */
const COST = { memory: 7_168, passes: 5, parallelism: 1, tagLength: 32 }

/** An argon2id hash of the password, as a PHC string (RFC 9106). */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await derive('argon2id', { ...COST, message: Buffer.from(password), nonce })
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${unpadded(nonce)}$${unpadded(tag)}`
}

/** Whether the password is the one of the hash. Without a hash it takes the same time, and says no. */
export async function verifyPassword(password: string, hash: string | null | undefined): Promise<boolean> {
  const [, , , cost = '', nonce = '', tag = ''] = (hash ?? (await nobodysHash())).split('$')
  const [memory = 0, passes = 0, parallelism = 0] = (cost.match(/\d+/g) ?? []).map(Number)
  const expected = Buffer.from(tag, 'base64')
  const actual = await derive('argon2id', {
    message: Buffer.from(password),
    nonce: Buffer.from(nonce, 'base64'),
    memory,
    passes,
    parallelism,
    tagLength: expected.length,
  })
  return timingSafeEqual(actual, expected) && hash != null
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

let nobodys: Promise<string> | undefined
/** A hash that no password has, made when it is first needed. */
const nobodysHash = (): Promise<string> => {
  nobodys ??= hashPassword(randomBytes(32).toString('base64'))
  return nobodys
}
