import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { assertOutsideTransaction } from '#database/ambient.ts'

const derive = promisify(argon2) as (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer>

export interface Passwords {
  /** Returns an argon2id hash of the password, as a PHC string (RFC 9106). */
  hash(password: string): Promise<string>
  /** Returns whether the password matches the hash. If there is no hash, takes the same time and returns false. */
  verify(password: string, hash: string | null | undefined): Promise<boolean>
}

export interface PasswordCost {
  /** Memory in KiB. */
  memory: number
  passes: number
  parallelism: number
}

/**
 * One of OWASP's equally strong settings for argon2id: 7 MiB, five passes, one lane. Chosen for its low memory use,
 * because the allocator keeps this memory for each of the four hashing threads.
 */
const OWASP: PasswordCost = { memory: 7_168, passes: 5, parallelism: 1 }
const TAG_LENGTH = 32

/**
 * Creates a password hasher. A hash contains its cost parameters, so hashes created with other parameters stay valid.
 */
export function createPasswords(cost: PasswordCost = OWASP): Passwords {
  /** A hash that matches no password, created on first use. */
  let dummy: Promise<string> | undefined
  const dummyHash = (): Promise<string> => {
    dummy ??= hash(randomBytes(32).toString('base64'))
    return dummy
  }

  async function hash(password: string): Promise<string> {
    assertOutsideTransaction('passwords.hash')
    const nonce = randomBytes(16)
    const parameters = { ...cost, tagLength: TAG_LENGTH, message: Buffer.from(password), nonce }
    const tag = await derive('argon2id', parameters)
    const { memory, passes, parallelism } = cost
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(tag)}`
  }

  return {
    hash,
    async verify(password, known) {
      assertOutsideTransaction('passwords.verify')
      const [, , , made = '', nonce = '', tag = ''] = (known ?? (await dummyHash())).split('$')
      const [memory = 0, passes = 0, parallelism = 0] = (made.match(/\d+/g) ?? []).map(Number)
      const expected = Buffer.from(tag, 'base64')
      const actual = await derive('argon2id', {
        message: Buffer.from(password),
        nonce: Buffer.from(nonce, 'base64'),
        memory,
        passes,
        parallelism,
        tagLength: expected.length,
      })
      return timingSafeEqual(actual, expected) && known != null
    },
  }
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')
