import type { ISql } from 'postgres'
import type { Language } from './languages.ts'

/**
 * Returns the stem of a word, which all forms of the word share. Returns null for a stop word, which is not searched.
 */
export type Stem = (word: string) => string | null

export interface Stemmer {
  /**
   * Returns a function that stems the given words and throws RangeError for any other word. Words must be lowercase,
   * as from words.ts, and may repeat. Rejects with database errors.
   *
   * Stems of all languages share one namespace. A text is indexed with the stems of its own language. A query is
   * searched with the stems of every language in the knowledge base.
   */
  stems(words: Iterable<string>, language: Language): Promise<Stem>
}

/** Maximum number of cached stems per language. */
const KNOWN_WORDS_MAX = 30_000
/** Maximum number of words per statement. PostgreSQL takes about a microsecond per word. */
const STATEMENT_WORDS_MAX = 20_000
/** Languages in whose texts ASCII words are stemmed as English. PostgreSQL does the same for Russian and Hindi. */
const OTHER_SCRIPTS: ReadonlySet<Language> = new Set([
  ...['arabic', 'armenian', 'greek', 'hindi', 'nepali', 'russian', 'tamil', 'yiddish'],
] as Language[])
/**
 * English stop words of PostgreSQL that are searched anyway, because they express time, place or quantity. On
 * tests/fixtures/retrieval.json, nDCG@10 of BM25 was 0.739 with these words searched, 0.723 without, and 0.705 with
 * all stop words searched.
 */
const KEPT_WORDS: ReadonlySet<string> = new Set(
  'above after again against all before below between both down during each few further more most off once only other out over own same too under until up while'.split(
    ' ',
  ),
)
const ASCII = /^[\0-\x7f]*$/
const NUMBER = /^[0-9]+$/
/**
 * Returns false for words with NUL or unpaired surrogates, which PostgreSQL's JSON rejects. No real word contains
 * them.
 */
const isStorable = (word: string): boolean => !word.includes('\0') && word.isWellFormed()

type StemCache = Map<string, string | null>

/**
 * Creates a stemmer that uses PostgreSQL's Snowball stemmers and stop word lists. The embedded PostgreSQL contains
 * them too.
 *
 * Stems change slightly between PostgreSQL's major versions, and words with changed stems are not found in text
 * indexed earlier. Of 40,000 words from READMEs, 2 differ between versions 17 and 18 with the English stemmer (added,
 * adding). With the German stemmer, 681 words differ, most of them English.
 */
export function createStemmer(sql: ISql): Stemmer {
  const caches = new Map<Language, StemCache>()

  /** Adds the stems of words to `found`, from the cache or from the database. */
  async function addStems(words: string[], language: Language, found: StemCache): Promise<void> {
    const cache = caches.get(language) ?? new Map()
    caches.set(language, cache)
    const unknown: string[] = []
    for (const word of words) {
      const stem = cache.get(word)
      if (stem !== undefined) found.set(word, stem)
      else unknown.push(word)
    }
    for (let at = 0; at < unknown.length; at += STATEMENT_WORDS_MAX) {
      const words = copied(unknown.slice(at, at + STATEMENT_WORDS_MAX))
      const stems = await askDatabase(sql, words, language)
      for (const [index, word] of words.entries()) {
        const stem = stems[index] || (language === 'english' && KEPT_WORDS.has(word) ? word : null)
        if (cache.size >= KNOWN_WORDS_MAX) cache.clear()
        cache.set(word, stem)
        found.set(word, stem)
      }
    }
  }

  return {
    async stems(words, language) {
      if (language === 'simple') return (word) => word
      const found: StemCache = new Map()
      const own: string[] = []
      const english: string[] = []
      for (const word of new Set(words)) {
        if (NUMBER.test(word) || !isStorable(word)) found.set(word, word)
        else if (OTHER_SCRIPTS.has(language) && ASCII.test(word)) english.push(word)
        else own.push(word)
      }
      await addStems(own, language, found)
      await addStems(english, 'english', found)
      return (word) => {
        const stem = found.get(word)
        if (stem === undefined) throw new RangeError(`No stem was requested for "${word}"`)
        return stem
      }
    },
  }
}

/** Returns the stems in the order of the words, with an empty string for each stop word. */
async function askDatabase(sql: ISql, words: string[], language: Language): Promise<string[]> {
  const [row] = await sql<{ stems: string[] | null }[]>`
    select json_agg(coalesce((ts_lexize(${`${language}_stem`}::regdictionary, word))[1], '') order by place) as stems
    from json_array_elements_text(${JSON.stringify(words)}::text::json) with ordinality as given(word, place)`
  return row?.stems ?? []
}

/** Copies words, because a substring keeps the whole text in memory. */
const copied = (words: string[]): string[] => JSON.parse(JSON.stringify(words)) as string[]
