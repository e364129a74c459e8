import type { Sql } from 'postgres'
import type { Language } from './languages.ts'

/** The stem of a word, by which its forms are found; null for a stop word, which is not looked for. */
export type Stem = (word: string) => string | null

export interface Stemmer {
  /**
   * How words of a language are stemmed, to be asked for these words only (it throws RangeError for others): words in
   * small letters, as words.ts has them, each as often as it may be. Stems of all languages share one space: a text is
   * indexed by the stems of its own language, and a query is looked up by the stems of every language that a
   * knowledge base holds. Rejects as the database does.
   */
  stems(words: Iterable<string>, language: Language): Promise<Stem>
}

/** Words whose stems are remembered, of each language. */
const KNOWN_WORDS_MAX = 30_000
/** Words of one statement: PostgreSQL takes about a microsecond for each. */
const STATEMENT_WORDS_MAX = 20_000
/** In texts of these languages, words in ASCII are of another one; PostgreSQL has it so for Russian and Hindi. */
const OTHER_SCRIPTS: ReadonlySet<Language> = new Set([
  ...['arabic', 'armenian', 'greek', 'hindi', 'nepali', 'russian', 'tamil', 'yiddish'],
] as Language[])
/**
 * Words on PostgreSQL's list of English stop words that are looked for all the same, since they say when, where and how
 * much. Without them nDCG@10 of BM25 was 0.723 on the questions of tests/fixtures/retrieval.json, with them 0.739; with
 * all stop words 0.705.
 */
const KEPT_WORDS: ReadonlySet<string> = new Set(
  'above after again against all before below between both down during each few further more most off once only other out over own same too under until up while'.split(
    ' ',
  ),
)
const ASCII = /^[\0-\x7f]*$/
const NUMBER = /^[0-9]+$/
/** JSON for PostgreSQL holds neither; no word does. */
const isStorable = (word: string): boolean => !word.includes('\0') && word.isWellFormed()

type StemCache = Map<string, string | null>

/**
 * Stems by the stemmers of PostgreSQL (Snowball), which the embedded one has too, with its lists of stop words. They
 * change a little from one major version to the next: of 40,000 words in READMEs, 17 and 18 differ in 2 by the English
 * stemmer (added, adding) and in 681 by the German one, most of them English. Those are not found in what was indexed before.
 */
export function createStemmer(sql: Sql): Stemmer {
  const caches = new Map<Language, StemCache>()

  /** Adds the stems of words to `found`: of those that this process knows at once, of others by asking. */
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
        if (stem === undefined) throw new RangeError(`No stem was asked for "${word}"`)
        return stem
      }
    },
  }
}

/** The stems in the order of the words; an empty one for a stop word. */
async function askDatabase(sql: Sql, words: string[], language: Language): Promise<string[]> {
  const [row] = await sql<{ stems: string[] | null }[]>`
    select json_agg(coalesce((ts_lexize(${`${language}_stem`}::regdictionary, word))[1], '') order by place) as stems
    from json_array_elements_text(${JSON.stringify(words)}::text::json) with ordinality as given(word, place)`
  return row?.stems ?? []
}

/** The words without the texts that they were cut from, which V8 keeps for as long as a part of them is kept. */
const copied = (words: string[]): string[] => JSON.parse(JSON.stringify(words)) as string[]
