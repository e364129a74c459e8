import Type, { type Static } from 'typebox'
import {
  Body,
  described,
  FailedReply,
  InputTokens,
  idOf,
  NOT_BLANK,
  Nullable,
  ObjectId,
  OutputTokens,
} from '#platform/http/schemas.ts'
import { QUERY_CHARACTERS_MAX } from '#platform/retrieval/parse-query.ts'
import { CONDITIONS_MAX } from './filter.ts'
import type { FoundPassage, Receipt } from './retrieve.ts'

const LIMIT_MAX = 100

export const Filter = Type.Object(
  {},
  {
    additionalProperties: true,
    maxProperties: CONDITIONS_MAX,
    description:
      'Conditions on document metadata. All must hold: `{"lang": "de"}`, `{"year": {"gte": 2020}}`, `{"lang": {"in": ["de", "fr"]}}`, `{"author": {"exists": true}}`. Keys: name, mime_type, size, source_id, document_id, and those of the source (pages: url, title, description; objects: key, last_modified).',
  },
)
const Query = Type.String({
  minLength: 1,
  maxLength: QUERY_CHARACTERS_MAX,
  ...NOT_BLANK,
  description: 'Question or search terms. Supports "quoted phrases" and prefixes*.',
})
export const Limit = Type.Integer({
  minimum: 1,
  maximum: LIMIT_MAX,
  default: 5,
  description: 'Maximum number of results.',
})
export const Rerank = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Name or ID of a language model that reranks the best passages. Charged like any model call.',
})

export const ScoreThreshold = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'Minimum score of a result. Default: 0.',
})

export const SearchRequest = Body({
  query: Query,
  limit: Type.Optional(Limit),
  filter: Type.Optional(Filter),
  score_threshold: Type.Optional(ScoreThreshold),
  rerank: Type.Optional(Rerank),
  explain: Type.Optional(Type.Boolean({ description: 'Whether to return how each result was found.' })),
})
export type SearchRequest = Static<typeof SearchRequest>

export const QueryRequest = Body({
  query: Query,
  model: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Name or ID of the language model that answers.',
  }),
  limit: Type.Optional(Limit),
  filter: Type.Optional(Filter),
  rerank: Type.Optional(Rerank),
  params: Type.Optional(
    Body(
      {
        temperature: Type.Optional(
          Type.Number({ minimum: 0, maximum: 1, description: 'Sampling temperature.' }),
        ),
        include_sources: Type.Optional(
          Type.Boolean({ description: 'Whether to return the passages. Default: true.' }),
        ),
        system_prompt: Type.Optional(
          Type.String({ maxLength: 20_000, description: 'System prompt of the answer.' }),
        ),
      },
      { description: 'Parameters of the answer.' },
    ),
  ),
})
export type QueryRequest = Static<typeof QueryRequest>

const Ranked = Type.Object({
  rank: Type.Integer({ description: 'Rank in this stage, from 1.' }),
  score: Type.Number({
    description:
      'Score in this stage: for words, a share of the maximum; for vectors, the similarity above that of unrelated texts.',
  }),
})

const RankedByWords = Type.Object({
  ...Ranked.properties,
  coverage: Type.Number({
    description:
      'Share of what the knowledge base holds of the query, from 0 to 1. A word counts by the number of chunks that contain it. The score of a result is at least a fifth of it.',
  }),
})

const Explanation = Type.Object(
  {
    lexical: Nullable(
      described(RankedByWords, 'Rank in the word search; null if it did not find the chunk.'),
    ),
    dense: Nullable(described(Ranked, 'Rank in the vector search; null if it did not find the chunk.')),
    fused_rank: Type.Integer({ description: 'Rank after fusion of both searches, from 1.' }),
    reranked: Nullable(Type.Number({ description: 'Score of the reranking model; null without reranking.' })),
  },
  { title: 'SearchExplanation' },
)

export const SearchResult = Type.Object(
  {
    document_id: idOf('the document'),
    document_name: Type.String({ description: 'Name of the document.' }),
    chunk_id: idOf('the chunk'),
    content: Type.String({ description: 'Text of the chunk.' }),
    score: Type.Number({ description: 'Relevance from 0 to 1, comparable across knowledge bases.' }),
    metadata: Type.Object({}, { additionalProperties: true, description: 'Metadata of the document.' }),
    headings: Type.Array(Type.String(), { description: 'Headings above the chunk, outermost first.' }),
    page: Nullable(
      Type.Integer({ description: 'Page of the document, from 1; null if the document has no pages.' }),
    ),
    position: Type.Integer({ description: 'Position of the chunk within the document, from 0.' }),
    explanation: Type.Optional(described(Explanation, 'How the result was found. Present with `explain`.')),
  },
  { title: 'SearchResult' },
)
export type SearchResult = Static<typeof SearchResult>

const QuerySource = Type.Object(
  {
    number: Type.Integer({ description: 'Number of the passage in citations, such as `[1]`.' }),
    ...SearchResult.properties,
    is_cited: Type.Boolean({ description: 'Whether the answer cites the passage.' }),
  },
  { title: 'QuerySource' },
)

const Usage = Type.Object({ input_tokens: InputTokens, output_tokens: OutputTokens })
const Citations = Type.Array(Type.Integer(), { description: 'Numbers of the cited passages.' })

export const QueryAnswer = Type.Object(
  {
    answer: Type.String({ description: 'Answer of the model.' }),
    sources: Type.Optional(Type.Array(QuerySource, { description: 'Passages given to the model.' })),
    citations: Citations,
    usage: described(Usage, 'Usage of the answer.'),
  },
  { title: 'QueryAnswer' },
)
export type QueryAnswer = Static<typeof QueryAnswer>

export const QueryEvent = Type.Unsafe<object>({
  title: 'QueryEvent',
  description:
    'Data of the events sources (unless omitted), content and end, in this order. An error event ends the stream.',
  anyOf: [
    Type.Object({
      sources: Type.Array(Type.Omit(QuerySource, ['is_cited']), {
        description: 'Passages given to the model.',
      }),
    }),
    Type.Object({ content: Type.String({ description: 'Next piece of the answer.' }) }),
    Type.Object({ citations: Citations, usage: described(Usage, 'Usage of the answer.') }),
    FailedReply,
  ],
})

const ReceiptView = Type.Object(
  {
    knowledge_bases: Type.Array(
      Type.Object({
        id: ObjectId,
        index_version: Type.Integer({ description: 'Version of the index.' }),
        embedding_model: Type.String({ description: 'Embedding model of the index.' }),
        chunks: Type.Integer({ description: 'Number of chunks in the index.' }),
      }),
      { description: 'Searched knowledge bases.' },
    ),
    words: Type.Array(Type.String(), { description: 'Words searched for.' }),
    phrases: Type.Array(Type.String(), { description: 'Phrases searched for.' }),
    prefixes: Type.Array(Type.String(), { description: 'Prefixes searched for.' }),
    candidates: Type.Object(
      {
        lexical: Type.Integer({ description: 'Candidates from the word search.' }),
        dense: Type.Integer({ description: 'Candidates from the vector search.' }),
        fused: Type.Integer({ description: 'Candidates after fusion.' }),
      },
      { description: 'Number of candidates per stage.' },
    ),
    agreement: Type.Number({
      description:
        'Share of the ten best chunks by words that are also among the ten best by vectors, from 0 to 1. The built-in embedding has this share of its weight.',
    }),
    dense_failure: Nullable(
      Type.String({
        description: 'Reason why the vector search failed and only words were searched; null if it did not.',
      }),
    ),
    dropped: Type.Object(
      {
        duplicates: Type.Integer({ description: 'Candidates dropped as duplicates.' }),
        below_threshold: Type.Integer({ description: 'Candidates dropped below the score threshold.' }),
      },
      { description: 'Number of dropped candidates.' },
    ),
    milliseconds: Type.Object(
      {
        lexical: Type.Number({ description: 'Duration of the word search, in milliseconds.' }),
        dense: Type.Number({ description: 'Duration of the vector search, in milliseconds.' }),
        all: Type.Number({ description: 'Total duration, in milliseconds.' }),
      },
      { description: 'Duration per stage, in milliseconds.' },
    ),
  },
  { title: 'SearchReceipt' },
)

export const SearchAnswer = Type.Object(
  {
    results: Type.Array(SearchResult, { description: 'Results, best first.' }),
    receipt: Type.Optional(described(ReceiptView, 'How the search ran. Present with `explain`.')),
  },
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
  agreement: receipt.agreement,
  dense_failure: receipt.denseFailure,
  dropped: {
    duplicates: receipt.dropped.duplicates,
    below_threshold: receipt.dropped.belowThreshold,
  },
  milliseconds: receipt.milliseconds,
})
