import type { Language } from './languages.ts'
import type { Stem, Stemmer } from './stems.ts'
import { variantOf } from './word-variants.ts'

/** The terms under which the words of one language are indexed. */
export interface Terms {
  /** Stem of a word, or null for a stop word. */
  stem: Stem
  /** Stem of a word's other form (word-variants.ts). Null if it has none, or the same one. */
  variant: Stem
}

/** Returns the terms of the given words. Rejects with database errors. */
export async function termsOf(stemmer: Stemmer, words: Iterable<string>, language: Language): Promise<Terms> {
  const known = new Set(words)
  const variants = new Map<string, string>()
  for (const word of known) {
    const variant = variantOf(word)
    if (variant !== null) variants.set(word, variant)
  }
  for (const variant of variants.values()) known.add(variant)
  const stem = await stemmer.stems(known, language)
  const variantTerms = new Map<string, string>()
  for (const [word, variant] of variants) {
    const term = stem(word)
    const other = stem(variant)
    if (term !== null && other !== null && other !== term) variantTerms.set(word, other)
  }
  if (variantTerms.size === 0) return { stem, variant: () => null }
  return { stem, variant: (word) => variantTerms.get(word) ?? null }
}
