import type { Sql } from 'postgres'
import type { Language } from '#platform/retrieval/languages.ts'
import { dropNearDuplicates } from '#platform/retrieval/near-duplicates.ts'
import { type KnowledgeQuery, parseQuery } from '#platform/retrieval/parse-query.ts'
import type { ResolvedModel } from '../llm/index.ts'
import { denseStage } from './dense-stage.ts'
import type { KbDesk } from './desk.ts'
import { type Condition, matches } from './filter.ts'
import { type Candidate, fuse, type Ranked, relevanceOf } from './fusion.ts'
import { scoreWords } from './lexical-stage.ts'
import { addPhrases } from './phrase-scores.ts'
import { rerank } from './rerank.ts'
import { readSearchedKbs, type SearchedKb, type StageHit } from './searched-kbs.ts'

/*
 * How passages are found, the same way for search, query and chat:
 *
 * 1. lexical: BM25 over the words of the question, by the document frequencies of each knowledge base.
 * 2. dense: the nearest vectors, all of a knowledge base compared.
 * 3. fusion: reciprocal ranks of both make one list of candidates.
 * 4. score: how well each fits, from 0 to 1, by what both stages say (fusion.ts); phrases in quotes count here.
 * 5. rerank: a language model scores them instead, where one is named.
 * 6. What says nearly the same as a better one is dropped, and what is below the threshold.
 */

export interface Wanted {
  knowledgeBaseIds: string[]
  query: string
  limit: number
  scoreThreshold: number
  filter: Condition[]
  rerank: ResolvedModel | null
  /** Of each document only its best passage. */
  oncePerDocument?: boolean
}

/** A passage, with how it was found. */
export interface FoundPassage {
  kbId: string
  documentId: string
  documentName: string
  chunkId: string
  content: string
  headings: string[]
  page: number | null
  position: number
  metadata: Record<string, unknown>
  language: Language
  /** 0 to 1. */
  score: number
  lexical: Ranked | null
  dense: Ranked | null
  fusedRank: number
  /** What a language model has scored it, where it was asked. */
  reranked: number | null
}

/** What was done to find passages. */
export interface Receipt {
  knowledgeBases: { id: string; indexVersion: number; embeddingModel: string; chunks: number }[]
  words: string[]
  phrases: string[]
  prefixes: string[]
  candidates: { lexical: number; dense: number; fused: number }
  /** Why the dense stage found nothing, where it could not be done. */
  denseFailure: string | null
  dropped: { duplicates: number; belowThreshold: number }
  milliseconds: { lexical: number; dense: number; all: number }
}

export interface Retrieval {
  passages: FoundPassage[]
  receipt: Receipt
}

/** Each stage brings so many candidates to the fusion. */
const STAGE_MAX = 100
/** So many of the fused ones are looked at, and more where more are asked for. */
const POOL = 40
const POOL_PER_RESULT = 2
/** Where chunks are gone or filtered out, the lexical stage looks so much further each time. */
const FURTHER = 8
const LOOKED_AT_MAX = 50_000

/** Throws kb.not_found, billing.insufficient_credits, and llm.failed from reranking. */
export async function retrieve(
  desk: KbDesk,
  scope: { organizationId: string },
  wanted: Wanted,
): Promise<Retrieval> {
  const begin = performance.now()
  const kbs = await readSearchedKbs(desk.rooms.database.sql, scope, wanted.knowledgeBaseIds)
  const query = parseQuery(wanted.query)
  const [lexical, dense] = await Promise.all([
    timed(gather(kbs.map((kb) => lexicalStage(desk, kb, query, wanted.filter)))),
    timed(denseStage(desk, kbs, wanted.query, wanted.filter, STAGE_MAX)),
  ])
  const fused = fuse(lexical.result, dense.result.hits)
  const passages = await readPool(desk.rooms.database.sql, fused, wanted)
  const withPhrases = await addPhrases(desk.stemmer, query, passages)
  const hasVectors = dense.result.failure === null
  const scored = bestFirst(withPhrases.map((one) => ({ ...one, score: relevanceOf(one, hasVectors) })))
  const ranked = wanted.rerank ? await rerank(desk, scope, wanted.rerank, wanted.query, scored) : scored
  const different = dropNearDuplicates(ranked, ({ content }) => content)
  const good = different.filter(({ score }) => score >= wanted.scoreThreshold)
  return {
    passages: (wanted.oncePerDocument ? bestOfEach(good) : good).slice(0, wanted.limit),
    receipt: {
      knowledgeBases: kbs.map(({ id, indexVersion, embeddingModel, chunkCount }) => ({
        id,
        indexVersion,
        embeddingModel,
        chunks: chunkCount,
      })),
      words: [...query.words.keys()],
      phrases: query.phrases.map((phrase) => phrase.join(' ')),
      prefixes: query.prefixes,
      candidates: {
        lexical: lexical.result.length,
        dense: dense.result.hits.length,
        fused: fused.length,
      },
      denseFailure: dense.result.failure,
      dropped: {
        duplicates: ranked.length - different.length,
        belowThreshold: different.length - good.length,
      },
      milliseconds: {
        lexical: lexical.milliseconds,
        dense: dense.milliseconds,
        all: performance.now() - begin,
      },
    },
  }
}

async function timed<Result>(work: Promise<Result>): Promise<{ result: Result; milliseconds: number }> {
  const begin = performance.now()
  const result = await work
  return { result, milliseconds: performance.now() - begin }
}

export const bestFirst = <Scored extends { score: number }>(passages: Scored[]): Scored[] =>
  passages.sort((a, b) => b.score - a.score)

const bestOfEach = (passages: FoundPassage[]): FoundPassage[] => {
  const seen = new Set<string>()
  return passages.filter(({ documentId }) => !seen.has(documentId) && seen.add(documentId))
}

/** The best of all knowledge bases together. */
async function gather(finding: Promise<StageHit[]>[]): Promise<StageHit[]> {
  const hits = (await Promise.all(finding)).flat()
  return bestFirst(hits).slice(0, STAGE_MAX)
}

/** What lingers in the postings and is gone, disabled or not asked for is left out, and others come in its place. */
export async function lexicalStage(
  { rooms, stemmer }: KbDesk,
  kb: SearchedKb,
  query: KnowledgeQuery,
  filter: Condition[],
): Promise<StageHit[]> {
  const { sql } = rooms.database
  const scores = await scoreWords(sql, stemmer, kb, query)
  for (let count = STAGE_MAX; ; count *= FURTHER) {
    const best = scores.best(count)
    const found = await findAlive(
      sql,
      kb,
      best.map(({ number }) => number),
      filter,
    )
    const alive = best.filter(({ number }) => found.has(number)).slice(0, STAGE_MAX)
    if (alive.length === STAGE_MAX || best.length < count || count >= LOOKED_AT_MAX)
      return alive.map(({ number, score }) => ({ kb, number, score: score / scores.ceiling }))
  }
}

/** Which of these chunks are there, may be found, and are of documents that the filter asks for. */
async function findAlive(
  sql: Sql,
  { id, organizationId }: SearchedKb,
  numbers: number[],
  filter: Condition[],
): Promise<Set<number>> {
  if (numbers.length === 0) return new Set()
  const isWanted =
    filter.length === 0
      ? sql`true`
      : sql`exists (select from kb_documents d where d.id = c.document_id and ${matches(sql, filter)})`
  const rows = await sql<{ number: number }[]>`
    select number from kb_chunks c
    where kb_id = ${id} and organization_id = ${organizationId} and number = any(${numbers}) and is_enabled
      and ${isWanted}`
  return new Set(rows.map(({ number }) => number))
}

/**
 * What of the fused ones is looked at. Where documents are wanted, each once, the pool goes on until as many are in it,
 * at most to the end of what the stages have found.
 */
async function readPool(
  sql: Sql,
  fused: Candidate[],
  { limit, oncePerDocument }: Wanted,
): Promise<ReadPassage[]> {
  const size = Math.max(POOL, limit * POOL_PER_RESULT)
  if (!oncePerDocument) return readPassages(sql, fused.slice(0, size))
  const passages = await readPassages(sql, fused)
  const documents = new Set<string>()
  const last = passages.findIndex(
    ({ documentId }, place) => documents.add(documentId).size >= limit && place + 1 >= size,
  )
  return last === -1 ? passages : passages.slice(0, last + 1)
}

interface PassageRow extends Omit<FoundPassage, 'score' | 'lexical' | 'dense' | 'fusedRank' | 'reranked'> {
  number: number
}

/** A candidate with what it says. */
export type ReadPassage = Omit<FoundPassage, 'score'> & { kb: SearchedKb }

/** In the order of the candidates; one that has gone since it was found is left out. */
async function readPassages(sql: Sql, pool: Candidate[]): Promise<ReadPassage[]> {
  if (pool.length === 0) return []
  const wanted = pool.map(({ kb, number }) => ({ kb: kb.id, number, organization: kb.organizationId }))
  const rows = await sql<PassageRow[]>`
    select c.number, c.kb_id as "kbId", c.document_id as "documentId", d.name as "documentName", c.id as "chunkId",
      c.content, c.headings, c.page, c.position, c.language,
      d.metadata || jsonb_build_object('name', d.name, 'mime_type', d.mime_type, 'source_id', d.source_id) as metadata
    from json_to_recordset(${JSON.stringify(wanted)}::text::json) as w (kb uuid, number int, organization uuid)
    join kb_chunks c on c.kb_id = w.kb and c.number = w.number and c.organization_id = w.organization
    join kb_documents d on d.id = c.document_id`
  const read = new Map(rows.map(({ number, ...row }) => [`${row.kbId} ${number}`, row]))
  return pool.flatMap(({ kb, number, lexical, dense }, place) => {
    const row = read.get(`${kb.id} ${number}`)
    return row ? [{ ...row, kb, lexical, dense, fusedRank: place + 1, reranked: null }] : []
  })
}
