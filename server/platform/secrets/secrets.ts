import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Encrypts stored secrets, such as provider keys, and creates HMACs. */
export interface Secrets {
  /**
   * Encrypts a value with AES-256-GCM. The encryption is bound to `context`, which identifies the value's row. A
   * value that is copied to another row therefore cannot be decrypted.
   */
  encrypt(plain: string, context: string): string
  /**
   * Decrypts a value. Throws if the value was changed, was encrypted for another context, or was encrypted under
   * neither secret.
   */
  decrypt(sealed: string, context: string): string
  /** Returns whether a value is encrypted under the current secret. */
  isCurrent(sealed: string, context: string): boolean
  /** Returns an HMAC-SHA256 of a text, with a key derived for the purpose. It is invalid for any other purpose. */
  sign(text: string, purpose: string): string
  /**
   * Returns the HMAC of a text under each secret, the current secret first. Used to look up HMACs that were stored
   * earlier.
   */
  signatures(text: string, purpose: string): [current: string, ...previous: string[]]
  /** Returns whether `signature` is an HMAC of the text under either secret. */
  isSigned(text: string, purpose: string, signature: string): boolean
  /**
   * Derives a 32-byte key for one purpose from each secret, the current secret first. All processes derive the same
   * keys.
   */
  derive(purpose: string): [current: Buffer, ...previous: Buffer[]]
}

/** The current secret, and the previous secret, which is used only for reading (SECRET_PREVIOUS). */
export interface SecretPair {
  current: string
  previous: string | null
}

const VERSION = 'v1'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Derives a 32-byte key for one purpose from each secret, the current secret first. */
export function deriveKeys({ current, previous }: SecretPair, purpose: string): [Buffer, ...Buffer[]] {
  const from = (secret: string) => Buffer.from(hkdfSync('sha256', secret, '', `parley ${purpose}`, 32))
  return previous === null ? [from(current)] : [from(current), from(previous)]
}

export function createSecrets(current: string, previous: string | null = null): Secrets {
  const derive: Secrets['derive'] = (purpose) => deriveKeys({ current, previous }, purpose)
  const [keyBytes, previousBytes] = derive('secrets at rest')
  const key = createSecretKey(keyBytes)
  const previousKey = previousBytes && createSecretKey(previousBytes)
  const signatures: Secrets['signatures'] = (text, purpose) => {
    const sign = (by: Buffer): string => createHmac('sha256', by).update(text).digest('base64url')
    const [signingKey, ...previousKeys] = derive(purpose)
    return [sign(signingKey), ...previousKeys.map(sign)]
  }
  return {
    encrypt(plain, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${VERSION}.${sealed.toString('base64url')}`
    },
    decrypt(sealed, context) {
      if (previousKey === undefined) return open(key, sealed, context)
      try {
        return open(key, sealed, context)
      } catch {
        return open(previousKey, sealed, context)
      }
    },
    isCurrent(sealed, context) {
      try {
        open(key, sealed, context)
        return true
      } catch {
        return false
      }
    },
    derive,
    signatures,
    sign: (text, purpose) => signatures(text, purpose)[0],
    isSigned: (text, purpose, signature) =>
      signatures(text, purpose).some((expected) => sameText(signature, expected)),
  }
}

function open(key: KeyObject, sealed: string, context: string): string {
  const bytes = Buffer.from(sealed.slice(VERSION.length + 1), 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(-TAG_BYTES))
  return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
}

/** Returns a new key or one-time token: a prefix that names its kind, and 256 random bits. */
export const newToken = (prefix: string): string => `${prefix}_${randomBytes(32).toString('base64url')}`

/** Returns the hash under which a token is stored. A fast hash is enough, because tokens have 256 random bits. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url')

/** Returns the id of a secret, to recognize it in databases and backups. The secret cannot be computed from it. */
export const secretIdOf = (secret: string): string =>
  createHmac('sha256', secret).update('parley backup').digest('hex').slice(0, 32)

/** Compares two strings in constant time. */
export const sameText = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())

/**
 * Returns the installation's secrets. Without configured secrets, returns the secret that was generated at the first
 * start and stored in `dataDir`. During `parley rotate-secret`, also returns the previous secret.
 */
export function loadSecrets(config: {
  secret: string | null
  secretPrevious: string | null
  dataDir: string
}): SecretPair {
  const { secret, secretPrevious, dataDir } = config
  if (secret) return { current: secret, previous: secretPrevious }
  const { file, previousFile } = filesOf(dataDir)
  if (!existsSync(file)) writeSecret(dataDir, file)
  const previous = existsSync(previousFile) ? readFileSync(previousFile, 'utf8').trim() : null
  return { current: readFileSync(file, 'utf8').trim(), previous }
}

/** Creates a new secret in `dataDir` and keeps the previous secret. Continues an interrupted rotation. */
export function beginRotation(dataDir: string): void {
  const { file, previousFile } = filesOf(dataDir)
  if (!existsSync(previousFile)) {
    if (!existsSync(file)) writeSecret(dataDir, file)
    writeFileSync(`${previousFile}.new`, readFileSync(file), { mode: 0o600, flush: true })
    writeSecret(dataDir, `${file}.new`)
    renameSync(`${previousFile}.new`, previousFile)
  }
  // If the process is interrupted before this line, both files contain the old secret. The next run continues here.
  if (existsSync(`${file}.new`)) renameSync(`${file}.new`, file)
}

/** Deletes the previous secret. Call this only after all values have been encrypted under the new secret. */
export const endRotation = (dataDir: string): void => rmSync(filesOf(dataDir).previousFile, { force: true })

const filesOf = (dataDir: string) => ({
  file: join(dataDir, 'secret'),
  previousFile: join(dataDir, 'secret.previous'),
})

function writeSecret(dataDir: string, path: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(path, randomBytes(32).toString('base64url'), { mode: 0o600, flush: true })
}
