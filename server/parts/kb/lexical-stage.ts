import type { TenantSql } from '#database/tenant-sql.ts'
import { type Hit, type QueryTerm, type Scores, scoreChunks } from '#platform/retrieval/bm25.ts'
import { type Language, languageOf } from '#platform/retrieval/languages.ts'
import type { KnowledgeQuery } from '#platform/retrieval/parse-query.ts'
import type { Stemmer } from '#platform/retrieval/stems.ts'
import { termsOf } from '#platform/retrieval/terms.ts'
import { foldWord, isHangul } from '#platform/retrieval/word-variants.ts'
import { type Condition, isOfAll, isSearched } from './filter.ts'
import { isOfKb } from './own-kb.ts'
import type { IndexRequest } from './search-index.ts'
import { refOf, type SearchedKb, STAGE_MAX, type StageHit } from './searched-kbs.ts'

/** Growth factor of the candidate count, used when too many candidates are deleted, disabled or filtered out. */
const FURTHER = 8
const SCORED_CHUNKS_MAX = 50_000
/** Maximum number of terms that match a prefix. */
const EXPANSIONS_MAX = 100
/** Maximum length of the suffix that stemming removes, in characters: the stem of `configuration` is `configur`. */
const ENDING_CHARACTERS_MAX = 5
const STEM_CHARACTERS_MIN = 3
/**
 * Minimum number of stop words that make a query a sentence of their language. A single one may be a word of another
 * language, as in "war crimes", where "war" is German for "was".
 */
const SENTENCE_STOP_WORDS_MIN = 2

/**
 * Returns the best chunks by BM25. Checks that they are not deleted, disabled or filtered out, and replaces those that
 * are. If `isChecked` is false, skips the check for a knowledge base without dead chunks and a search of all documents,
 * so that disabled chunks may be returned.
 */
export async function findByWords(
  stemmer: Stemmer,
  { sql, filter }: IndexRequest,
  kb: SearchedKb,
  query: KnowledgeQuery,
  isChecked: boolean,
): Promise<StageHit[]> {
  const scores = await scoreWords(sql, stemmer, kb, query)
  const toHit = (hit: Hit): StageHit => ({ kb, ...hit, score: hit.score / scores.ceiling })
  for (let count = STAGE_MAX; ; count *= FURTHER) {
    const best = scores.best(count)
    if (!isChecked && isOfAll(kb, filter) && kb.deadCount === 0) return best.map(toHit)
    const found = await findAlive(
      sql,
      kb,
      best.map(({ number }) => number),
      filter,
    )
    const alive = best.filter(({ number }) => found.has(number)).slice(0, STAGE_MAX)
    if (alive.length === STAGE_MAX || best.length < count || count >= SCORED_CHUNKS_MAX)
      return alive.map(toHit)
  }
}

/** Returns the numbers of chunks that exist, are enabled, and belong to documents that match the filter. */
async function findAlive(
  sql: TenantSql,
  kb: SearchedKb,
  numbers: number[],
  filter: Condition[],
): Promise<Set<number>> {
  if (numbers.length === 0) return new Set()
  const { id, organizationId } = kb
  const isWanted = isOfAll(kb, filter)
    ? sql`true`
    : sql`exists (
          select from kb_documents d
          where d.id = c.document_id and d.organization_id = c.organization_id and ${isSearched(sql, filter)})`
  const rows = await sql<{ number: number }[]>`
    select number from kb_chunks c
    where kb_id = ${id} and organization_id = ${organizationId} and number = any(${numbers}) and is_enabled
      and ${isWanted}`
  return new Set(rows.map(({ number }) => number))
}

/**
 * Scores the chunks of one knowledge base with BM25, using its own document frequencies. A query word matches its
 * stems in all languages of the knowledge base.
 */
async function scoreWords(
  sql: TenantSql,
  stemmer: Stemmer,
  kb: SearchedKb,
  query: KnowledgeQuery,
): Promise<Scores> {
  const words = await formsOf(stemmer, kb, query)
  const [byTerm, expansions] = await Promise.all([
    readTerms(sql, kb, [
      ...new Set([...words.values()].flatMap(({ stems, variants }) => [...stems, ...variants])),
    ]),
    Promise.all(
      query.prefixes.map(async (prefix) => {
        const forms = distinct([prefix, foldWord(prefix)])
        return (await Promise.all(forms.map((form) => readPrefix(sql, kb, form)))).flat()
      }),
    ),
  ])
  const postingsOf = (forms: string[]): Buffer[] => forms.flatMap((form) => byTerm.get(form) ?? [])
  const terms: QueryTerm[] = [...words]
    .filter(([, { stems }]) => stems.length > 0)
    .map(([word, { stems, variants }]) => ({
      postings: postingsOf(stems),
      variants: postingsOf(variants),
      times: query.words.get(word) ?? 1,
    }))
  for (const postings of expansions) terms.push({ postings, times: 1 })
  return scoreChunks(terms, {
    chunks: kb.chunkCount,
    averageLength: kb.chunkCount === 0 ? 0 : kb.wordCount / kb.chunkCount,
  })
}

/** The terms of a query's word in all languages of a knowledge base. */
interface WordForms {
  /** Empty for a stop word. */
  stems: string[]
  /** Stems of the word without accents. */
  variants: string[]
}

/**
 * Returns the terms of each word in all languages of the knowledge base. Stop words have no stems. In a sentence, the
 * stop words of its language have none in the other languages either: almost no text of another language contains them,
 * so they would count as the rarest and therefore most important words.
 */
async function formsOf(
  stemmer: Stemmer,
  { languages }: SearchedKb,
  { words }: KnowledgeQuery,
): Promise<Map<string, WordForms>> {
  const byLanguage = await Promise.all(
    languages.map((language) => termsOf(stemmer, words.keys(), language as Language)),
  )
  const own = byLanguage[languages.indexOf(languageOf([...words.keys()].join(' ')))]
  const stopWords = [...words.keys()].filter((word) => own?.stem(word) === null)
  const skipped = new Set(stopWords.length < SENTENCE_STOP_WORDS_MIN ? [] : stopWords)
  return new Map(
    [...words.keys()].map((word) => {
      if (skipped.has(word)) return [word, { stems: [], variants: [] }]
      const stems = distinct(byLanguage.map(({ stem }) => stem(word)))
      const variants = distinct(byLanguage.map(({ variant }) => variant(word)))
      // A Korean particle changes nothing about the word, so both forms count alike.
      if (isHangul(word)) return [word, { stems: distinct([...stems, ...variants]), variants: [] }]
      return [word, { stems, variants: variants.filter((variant) => !stems.includes(variant)) }]
    }),
  )
}

const distinct = (terms: (string | null)[]): string[] => [...new Set(terms.filter((term) => term !== null))]

async function readTerms(sql: TenantSql, kb: SearchedKb, terms: string[]): Promise<Map<string, Buffer[]>> {
  const found = new Map<string, Buffer[]>()
  if (terms.length === 0) return found
  const rows = await sql<{ term: string; postings: Buffer }[]>`
    select term, postings from kb_postings
    where ${isOfKb(sql, refOf(kb))} and term = any(${terms}) order by segment`
  for (const { term, postings } of rows) {
    const known = found.get(term)
    if (known) known.push(postings)
    else found.set(term, [postings])
  }
  return found
}

/**
 * Returns the postings of terms with this prefix. Stemming may shorten a word to less than the prefix, so the result
 * includes the postings of terms that equal a shortened prefix.
 */
async function readPrefix(sql: TenantSql, kb: SearchedKb, prefix: string): Promise<Buffer[]> {
  const least = Math.max(STEM_CHARACTERS_MIN, prefix.length - ENDING_CHARACTERS_MAX)
  const shorter = Array.from({ length: Math.max(prefix.length - least, 0) }, (_, at) =>
    prefix.slice(0, least + at),
  )
  const isOwn = isOfKb(sql, refOf(kb))
  const rows = await sql<{ postings: Buffer }[]>`
    select postings from kb_postings
    where ${isOwn} and term in (
      select distinct term from kb_postings
      where ${isOwn} and term >= ${prefix} and term < ${`${prefix}\u{10ffff}`} limit ${EXPANSIONS_MAX})
    union all
    select postings from kb_postings where ${isOwn} and term = any(${shorter})`
  return rows.map(({ postings }) => postings)
}
