import { randomBytes } from 'node:crypto'

/** A value that must not leave the places that `permitted-places.ts` lists for its kind. */
export interface Secret {
  kind: string
  value: string
  /** Random characters of it: found alone, in whatever spelling, they give it away. */
  fragment: string
}

const FRAGMENT_CHARACTERS = 16
const SHORTEST_CHARACTERS = 8

/** The secrets of a run: those that clients choose, and those that the product makes. */
export class Plants {
  readonly secrets: Secret[] = []

  /** Makes a secret, as a client chooses one or an operator configures one. */
  plant(kind: string, prefix = ''): string {
    const random = randomBytes(24).toString('base64url').replace(/[-_]/g, 'x')
    this.#add({ kind, value: prefix + random, fragment: random.slice(0, FRAGMENT_CHARACTERS) })
    return prefix + random
  }

  /** Takes note of a secret that the product or somebody else made. Throws where there is none. */
  keep(kind: string, value: unknown): string {
    if (typeof value !== 'string' || value.length < SHORTEST_CHARACTERS)
      throw new Error(`no ${kind} was made: ${JSON.stringify(value)}`)
    // The first two parts of a JSON Web Token are public, and the same for many.
    const random = value.includes('.') ? (value.split('.').at(-1) ?? '') : value.replace(PREFIX, '')
    this.#add({ kind, value, fragment: random.slice(0, FRAGMENT_CHARACTERS) })
    return value
  }

  #add(secret: Secret): void {
    if (!this.secrets.some(({ kind, value }) => kind === secret.kind && value === secret.value))
      this.secrets.push(secret)
  }
}

/** Prefixes say what a secret is for. */
const PREFIX = /^(?:[a-z]{2,6}_|access-|refresh-|code-|client-secret-)/

/** Returns the texts by which a secret would be recognized: plain, and in the encodings of addresses, JSON and bytes. */
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

/** Base64 depends on the place in the text that was encoded: three spellings, without the characters that others share. */
const inBase64 = (text: string): string[] =>
  [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.from('x'.repeat(before) + text)
      .toString('base64')
      .replace(/=+$/, '')
    const core = encoded.slice(before === 0 ? 0 : before + 1, encoded.length - 1)
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')]
  })
