import { type Secret, spellingsOf } from './plants.ts'

/** Number of characters whose hash is compared first. */
const WINDOW = 8
const FACTOR = 31
const BUCKET_BITS = 20

/** Searches a text for all spellings of all secrets in one pass (Rabin and Karp, 1987). */
export class SecretFinder {
  readonly #byStart = new Map<string, { spelling: string; secret: Secret }[]>()
  readonly #buckets = new Uint8Array(1 << BUCKET_BITS)
  readonly #leaving: number

  constructor(secrets: readonly Secret[]) {
    for (const secret of secrets)
      for (const spelling of spellingsOf(secret)) {
        const start = spelling.slice(0, WINDOW)
        this.#byStart.set(start, [...(this.#byStart.get(start) ?? []), { spelling, secret }])
        let hash = 0
        for (let at = 0; at < WINDOW; at++) hash = next(hash, start.charCodeAt(at))
        this.#buckets[bucketOf(hash)] = 1
      }
    let power = 1
    for (let count = 0; count < WINDOW; count++) power = Math.imul(power, FACTOR)
    this.#leaving = power
  }

  /** Returns the secrets that occur in a text, each with the position of its first occurrence. */
  in(text: string): Map<Secret, number> {
    const found = new Map<Secret, number>()
    let hash = 0
    for (let end = 0; end < text.length; end++) {
      hash = next(hash, text.charCodeAt(end))
      if (end >= WINDOW) hash = (hash - Math.imul(this.#leaving, text.charCodeAt(end - WINDOW))) | 0
      if (this.#buckets[bucketOf(hash)] === 0) continue
      const start = end - WINDOW + 1
      for (const { spelling, secret } of this.#byStart.get(text.slice(start, end + 1)) ?? [])
        if (!found.has(secret) && text.startsWith(spelling, start)) found.set(secret, start)
    }
    return found
  }
}

const next = (hash: number, code: number): number => (Math.imul(hash, FACTOR) + code) | 0
const bucketOf = (hash: number): number => Math.imul(hash, 0x9e3779b1) >>> (32 - BUCKET_BITS)
