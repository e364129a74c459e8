import Type, { type Static } from 'typebox'
import { Body, NOT_BLANK, Nullable, Uuid } from '#platform/http/schemas.ts'
import { QUERY_CHARACTERS_MAX } from '#platform/retrieval/parse-query.ts'
import type { FoundPassage, Receipt } from './retrieve.ts'

const LIMIT_MAX = 100

export const Filter = Type.Object(
  {},
  {
    additionalProperties: true,
    description:
      'What the metadata of a document has to say; all keys have to hold: {"lang": "de"}, {"year": {"gte": 2020}}, ' +
      '{"lang": {"in": ["de", "fr"]}}, {"author": {"exists": true}}. Keys: name, mime_type, size, source_id, ' +
      'document_id, and what a source says (of pages url, title, description; of objects key, last_modified)',
  },
)
const Query = Type.String({
  minLength: 1,
  maxLength: QUERY_CHARACTERS_MAX,
  ...NOT_BLANK,
  description: 'A question, or words; "phrases in quotes" and prefixes* count too',
})
export const Limit = Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: 5 })
export const Rerank = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The name or id of a language model that scores the best passages; paid like any call of it',
})

export const ScoreThreshold = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'Leaves out what fits less; 0 where absent',
})

export const SearchRequest = Body({
  query: Query,
  limit: Type.Optional(Limit),
  filter: Type.Optional(Filter),
  score_threshold: Type.Optional(ScoreThreshold),
  rerank: Type.Optional(Rerank),
  explain: Type.Optional(Type.Boolean({ description: 'Tells how each result was found' })),
})
export type SearchRequest = Static<typeof SearchRequest>

export const QueryRequest = Body({
  query: Query,
  model: Type.String({ minLength: 1, maxLength: 200, description: 'The name or id of a language model' }),
  limit: Type.Optional(Limit),
  filter: Type.Optional(Filter),
  rerank: Type.Optional(Rerank),
  params: Type.Optional(
    Body({
      temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
      include_sources: Type.Optional(Type.Boolean({ description: 'true where absent' })),
      system_prompt: Type.Optional(Type.String({ maxLength: 20_000 })),
    }),
  ),
})
export type QueryRequest = Static<typeof QueryRequest>

const Ranked = Type.Object({
  rank: Type.Integer(),
  score: Type.Number({
    description: 'Of this stage: a share of its ceiling, or the likeness above that of unrelated texts',
  }),
})

const Explanation = Type.Object(
  {
    lexical: Nullable(Ranked),
    dense: Nullable(Ranked),
    fused_rank: Type.Integer(),
    reranked: Nullable(Type.Number()),
  },
  { title: 'SearchExplanation' },
)

export const SearchResult = Type.Object(
  {
    document_id: Uuid,
    document_name: Type.String(),
    chunk_id: Uuid,
    content: Type.String(),
    score: Type.Number({ description: '0 to 1, of the same meaning in every knowledge base' }),
    metadata: Type.Object({}, { additionalProperties: true }),
    headings: Type.Array(Type.String()),
    page: Nullable(Type.Integer()),
    position: Type.Integer(),
    explanation: Type.Optional(Explanation),
  },
  { title: 'SearchResult' },
)
export type SearchResult = Static<typeof SearchResult>

const QuerySource = Type.Object(
  {
    number: Type.Integer({ description: 'What the answer cites it as: [1]' }),
    ...SearchResult.properties,
    is_cited: Type.Boolean(),
  },
  { title: 'QuerySource' },
)

const Usage = Type.Object({ input_tokens: Type.Integer(), output_tokens: Type.Integer() })
const Citations = Type.Array(Type.Integer(), { description: 'The numbers of the passages that are cited' })

export const QueryAnswer = Type.Object(
  {
    answer: Type.String(),
    sources: Type.Optional(Type.Array(QuerySource, { description: 'The passages that the model was given' })),
    citations: Citations,
    usage: Usage,
  },
  { title: 'QueryAnswer' },
)
export type QueryAnswer = Static<typeof QueryAnswer>

export const QueryEvent = Type.Unsafe<object>({
  title: 'QueryEvent',
  description:
    'What stands behind `data:` of the events sources (where they are wanted), content and end; or error, after which ' +
    'nothing comes.',
  anyOf: [
    Type.Object({ sources: Type.Array(Type.Omit(QuerySource, ['is_cited'])) }),
    Type.Object({ content: Type.String() }),
    Type.Object({ citations: Citations, usage: Usage }),
    Type.Object({ error: Type.String() }),
  ],
})

const ReceiptView = Type.Object(
  {
    knowledge_bases: Type.Array(
      Type.Object({
        id: Uuid,
        index_version: Type.Integer(),
        embedding_model: Type.String(),
        chunks: Type.Integer(),
      }),
    ),
    words: Type.Array(Type.String()),
    phrases: Type.Array(Type.String()),
    prefixes: Type.Array(Type.String()),
    candidates: Type.Object({ lexical: Type.Integer(), dense: Type.Integer(), fused: Type.Integer() }),
    dense_failure: Nullable(
      Type.String({
        description: 'Why there are no vectors of the question: only its words were looked for',
      }),
    ),
    dropped: Type.Object({ duplicates: Type.Integer(), below_threshold: Type.Integer() }),
    milliseconds: Type.Object({ lexical: Type.Number(), dense: Type.Number(), all: Type.Number() }),
  },
  { title: 'SearchReceipt' },
)

export const SearchAnswer = Type.Object(
  { results: Type.Array(SearchResult), receipt: Type.Optional(ReceiptView) },
  { title: 'SearchAnswer' },
)
export type SearchAnswer = Static<typeof SearchAnswer>

const SCORE_DIGITS = 10_000
const rounded = (score: number): number => Math.round(score * SCORE_DIGITS) / SCORE_DIGITS

export const viewPassage = (passage: FoundPassage, isExplained: boolean): SearchResult => ({
  document_id: passage.documentId,
  document_name: passage.documentName,
  chunk_id: passage.chunkId,
  content: passage.content,
  score: rounded(passage.score),
  metadata: passage.metadata,
  headings: passage.headings,
  page: passage.page,
  position: passage.position,
  ...(isExplained && {
    explanation: {
      lexical: passage.lexical,
      dense: passage.dense,
      fused_rank: passage.fusedRank,
      reranked: passage.reranked,
    },
  }),
})

export const viewReceipt = (receipt: Receipt): Static<typeof ReceiptView> => ({
  knowledge_bases: receipt.knowledgeBases.map(({ id, indexVersion, embeddingModel, chunks }) => ({
    id,
    index_version: indexVersion,
    embedding_model: embeddingModel,
    chunks,
  })),
  words: receipt.words,
  phrases: receipt.phrases,
  prefixes: receipt.prefixes,
  candidates: receipt.candidates,
  dense_failure: receipt.denseFailure,
  dropped: {
    duplicates: receipt.dropped.duplicates,
    below_threshold: receipt.dropped.belowThreshold,
  },
  milliseconds: receipt.milliseconds,
})
