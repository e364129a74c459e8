import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

const FLAGS = { userPresent: 0x01, userVerified: 0x04, attested: 0x40 }

interface CreationOptions {
  challenge: string
  rp: { id?: string }
  user: { id: string }
}

/** Deviations from a correct WebAuthn response. */
interface Lie {
  origin?: string
  rpId?: string
  challenge?: string
  isUserVerified?: boolean
}

/** A software authenticator with one passkey (WebAuthn Level 3, 6.1). Uses a P-256 key without attestation. */
export class Authenticator {
  readonly #origin: string
  readonly #key: KeyObject
  readonly #publicKey: { x: Buffer; y: Buffer }
  readonly id = randomBytes(32)
  #userHandle = ''
  counter = 0

  constructor(origin: string) {
    this.#origin = origin
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    this.#key = privateKey
    this.#publicKey = { x: Buffer.from(x, 'base64url'), y: Buffer.from(y, 'base64url') }
  }

  /** Emulates navigator.credentials.create. Returns the credential as JSON. */
  create({ challenge, rp, user }: CreationOptions, lie: Lie = {}) {
    this.#userHandle = user.id
    const { x, y } = this.#publicKey
    const coseKey = Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 32]),
      x,
      Buffer.from([0x22, 0x58, 32]),
      y,
    ])
    const length = Buffer.from([0, this.id.length])
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, coseKey])
    const authData = Buffer.concat([
      this.#authData(lie.rpId ?? rp.id ?? '', FLAGS.attested, lie.isUserVerified),
      attested,
    ])
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      text('fmt'),
      text('none'),
      text('attStmt'),
      Buffer.from([0xa0]),
      text('authData'),
      Buffer.from([0x58, authData.length]),
      authData,
    ])
    const clientDataJSON = this.#clientData('webauthn.create', challenge, lie)
    return this.#credential({
      clientDataJSON,
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    })
  }

  /** Emulates navigator.credentials.get. Returns the assertion as JSON. */
  get({ challenge, rpId = '' }: { challenge: string; rpId?: string }, lie: Lie = {}) {
    this.counter++
    const authData = this.#authData(lie.rpId ?? rpId, 0, lie.isUserVerified)
    const clientDataJSON = this.#clientData('webauthn.get', challenge, lie)
    const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest()
    const signature = createSign('sha256').update(authData).update(hash).sign(this.#key)
    return this.#credential({
      clientDataJSON,
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: this.#userHandle,
    })
  }

  #authData(rpId: string, extraFlags: number, isUserVerified = true): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    const flags = FLAGS.userPresent | (isUserVerified ? FLAGS.userVerified : 0) | extraFlags
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), counter])
  }

  #clientData(type: string, challenge: string, lie: Lie): string {
    const origin = lie.origin ?? this.#origin
    const data = { type, challenge: lie.challenge ?? challenge, origin, crossOrigin: false }
    return Buffer.from(JSON.stringify(data)).toString('base64url')
  }

  #credential<R>(response: R) {
    const id = this.id.toString('base64url')
    return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {}, response }
  }
}

/** Encodes a string of fewer than 24 bytes in CBOR. */
const text = (value: string): Buffer =>
  Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
