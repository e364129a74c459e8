import type { EmbeddingManner } from './openai-embeddings.ts'
import type { ModelTarget } from './types.ts'

/** Maximum models whose limits are remembered. The models that were used least recently are forgotten. */
const MODELS_MAX = 1_000

export interface EmbeddingLimit extends EmbeddingManner {
  /** Maximum texts per request. */
  textsMax: number
}

const UNKNOWN: EmbeddingLimit = { hasFormat: true, asString: false, textsMax: Number.POSITIVE_INFINITY }
/** Google's format has neither field, so a refusal leaves only the number of texts to change. */
const GOOGLE: EmbeddingLimit = { ...UNKNOWN, hasFormat: false, asString: true }

/** Limits of embedding models that their servers' refusals have shown, so that each is found only once per process. */
export class EmbeddingLimits {
  readonly #known = new Map<string, EmbeddingLimit>()

  of(target: ModelTarget): EmbeddingLimit {
    const key = keyOf(target)
    const known = this.#known.get(key)
    if (!known) return target.provider === 'google' ? GOOGLE : withoutOmitted(UNKNOWN, target)
    this.#known.delete(key)
    this.#known.set(key, known)
    return withoutOmitted(known, target)
  }

  /** Remembers a limit after all texts of a batch have been embedded within it. */
  learn(target: ModelTarget, { hasFormat, asString, textsMax }: EmbeddingLimit): void {
    const key = keyOf(target)
    // Another batch of the same model may have found another limit meanwhile.
    const known = this.of(target)
    this.#known.set(key, {
      hasFormat: hasFormat && known.hasFormat,
      asString: asString || known.asString,
      textsMax: Math.min(textsMax, known.textsMax),
    })
    const [oldest] = this.#known.keys()
    if (this.#known.size > MODELS_MAX && oldest !== undefined) this.#known.delete(oldest)
  }
}

const withoutOmitted = (limit: EmbeddingLimit, { omit }: ModelTarget): EmbeddingLimit =>
  omit?.includes('encoding_format') ? { ...limit, hasFormat: false } : limit

const keyOf = ({ owner = '', baseUrl, model }: ModelTarget): string => JSON.stringify([owner, baseUrl, model])
