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

/** Encryption at rest, of provider keys and the like, and signatures. */
export interface Secrets {
  /** AES-256-GCM, bound to `context` (the row that it is for): a value copied to another row does not open. */
  encrypt(plain: string, context: string): string
  /** Throws where the value was changed, was made for another context, or under neither secret. */
  decrypt(sealed: string, context: string): string
  /** Whether a value opens under the current secret. */
  isCurrent(sealed: string, context: string): boolean
  /** HMAC-SHA256 under a key that is for this purpose alone: what is signed for another one does not hold. */
  sign(text: string, purpose: string): string
  /** What `sign` answers under each secret, the current one first: for comparing with what was signed before. */
  signatures(text: string, purpose: string): [current: string, ...previous: string[]]
  /** Whether this is a signature of the text under either secret. */
  isSigned(text: string, purpose: string, signature: string): boolean
  /** 32 bytes for one purpose that follow from each secret, the current one first; the same in every process. */
  derive(purpose: string): [current: Buffer, ...previous: Buffer[]]
}

/** The secret that signs and encrypts, and one that is still read (SECRET_PREVIOUS). */
export interface SecretPair {
  current: string
  previous: string | null
}

const VERSION = 'v1'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** 32 bytes for one purpose from each secret, the current one first. */
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

/** A new key or one-time token: its prefix says what it is for, and 256 random bits follow. */
export const newToken = (prefix: string): string => `${prefix}_${randomBytes(32).toString('base64url')}`

/** How a token is stored. It has 256 random bits, so one fast hash is enough. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url')

/** Compares in a time that does not tell where two texts differ. */
export const sameText = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())

/**
 * The installation's secrets: the configured ones, else one that is made at the first start and kept in `dataDir`, with
 * the one before it while `parley rotate-secret` is under way.
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

/** Makes a new secret in `dataDir` and keeps the one before it; goes on with a rotation that was cut off. */
export function beginRotation(dataDir: string): void {
  const { file, previousFile } = filesOf(dataDir)
  if (!existsSync(previousFile)) {
    if (!existsSync(file)) writeSecret(dataDir, file)
    writeFileSync(`${previousFile}.new`, readFileSync(file), { mode: 0o600, flush: true })
    writeSecret(dataDir, `${file}.new`)
    renameSync(`${previousFile}.new`, previousFile)
  }
  // Cut off before this, both files have the old secret, and the next run goes on here.
  if (existsSync(`${file}.new`)) renameSync(`${file}.new`, file)
}

/** Forgets the secret before: everything is under the new one. */
export const endRotation = (dataDir: string): void => rmSync(filesOf(dataDir).previousFile, { force: true })

const filesOf = (dataDir: string) => ({
  file: join(dataDir, 'secret'),
  previousFile: join(dataDir, 'secret.previous'),
})

function writeSecret(dataDir: string, path: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(path, randomBytes(32).toString('base64url'), { mode: 0o600, flush: true })
}
