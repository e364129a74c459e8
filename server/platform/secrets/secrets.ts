import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Encryption at rest, of provider keys and the like, and signatures. */
export interface Secrets {
  /** AES-256-GCM, bound to `context` (the row that it is for): a value copied to another row does not open. */
  encrypt(plain: string, context: string): string
  /** Throws where the value was changed, was made for another context, or under another SECRET. */
  decrypt(sealed: string, context: string): string
  /** HMAC-SHA256 under a key that is for this purpose alone: what is signed for another one does not hold. */
  sign(text: string, purpose: string): string
  /** 32 bytes that follow from SECRET, the same in every process, for one purpose. */
  derive(purpose: string): Buffer
}

const VERSION = 'v1'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function createSecrets(secret: string): Secrets {
  const derive: Secrets['derive'] = (purpose) =>
    Buffer.from(hkdfSync('sha256', secret, '', `parley ${purpose}`, 32))
  const key = createSecretKey(derive('secrets at rest'))
  return {
    encrypt(plain, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${VERSION}.${sealed.toString('base64url')}`
    },
    decrypt(sealed, context) {
      const bytes = Buffer.from(sealed.slice(VERSION.length + 1), 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-TAG_BYTES))
      return (
        decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      )
    },
    derive,
    sign: (text, purpose) => createHmac('sha256', derive(purpose)).update(text).digest('base64url'),
  }
}

/** A new key or one-time token: its prefix says what it is for, and 256 random bits follow. */
export const newToken = (prefix: string): string => `${prefix}_${randomBytes(32).toString('base64url')}`

/** How a token is stored. It has 256 random bits, so one fast hash is enough. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url')

/** Compares in a time that does not tell where two texts differ. */
export const sameText = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())

/** The installation's secret: the configured one, else one that is made at the first start and kept in `dataDir`. */
export function loadSecret(configured: string | null, dataDir: string): string {
  if (configured) return configured
  const path = join(dataDir, 'secret')
  if (!existsSync(path)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(path, randomBytes(32).toString('base64url'), { mode: 0o600 })
  }
  return readFileSync(path, 'utf8').trim()
}
