import { randomBytes } from 'node:crypto'

/** A secret value. It may occur only in the places that `permitted-places.ts` lists for its kind. */
export interface Secret {
  kind: string
  value: string
  /** Random characters of the value. Finding them anywhere, in any encoding, counts as a leak. */
  fragment: string
}

const FRAGMENT_CHARACTERS = 16
const SHORTEST_CHARACTERS = 8

/** Collects the secrets that clients and operators choose, and the secrets that the product creates. */
export class Plants {
  readonly secrets: Secret[] = []

  /** Creates and records a secret that a client or an operator chooses. */
  plant(kind: string, prefix = ''): string {
    const random = randomBytes(24).toString('base64url').replace(/[-_]/g, 'x')
    this.#add({ kind, value: prefix + random, fragment: random.slice(0, FRAGMENT_CHARACTERS) })
    return prefix + random
  }

  /** Records a secret that the product or a third party has created. Throws if the value is missing or too short. */
  keep(kind: string, value: unknown): string {
    if (typeof value !== 'string' || value.length < SHORTEST_CHARACTERS)
      throw new Error(`no ${kind} was created: ${JSON.stringify(value)}`)
    // Uses only the last part of a JSON Web Token. The first two parts are public and the same in many tokens.
    const random = value.includes('.') ? (value.split('.').at(-1) ?? '') : value.replace(PREFIX, '')
    this.#add({ kind, value, fragment: random.slice(0, FRAGMENT_CHARACTERS) })
    return value
  }

  #add(secret: Secret): void {
    if (!this.secrets.some(({ kind, value }) => kind === secret.kind && value === secret.value))
      this.secrets.push(secret)
  }
}

/** Matches the public prefix that names the purpose of a secret. */
const PREFIX = /^(?:[a-z]{2,6}_|access-|refresh-|code-|client-secret-)/

/**
 * Returns the strings that reveal a secret: its plain characters, and its encodings in URLs, JSON, hexadecimal and
 * Base64.
 */
export function spellingsOf({ value, fragment }: Secret): string[] {
  const bytes = Buffer.from(fragment)
  return [
    ...new Set([
      fragment,
      encodeURIComponent(value),
      JSON.stringify(value).slice(1, -1),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
      ...inBase64(fragment),
    ]),
  ]
}

/**
 * Returns the Base64 encodings of a string at all three offsets within an encoded text, because the encoding depends
 * on the offset. Omits the characters that also depend on neighboring bytes.
 */
const inBase64 = (text: string): string[] =>
  [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.from('x'.repeat(before) + text)
      .toString('base64')
      .replace(/=+$/, '')
    const core = encoded.slice(before === 0 ? 0 : before + 1, encoded.length - 1)
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')]
  })
