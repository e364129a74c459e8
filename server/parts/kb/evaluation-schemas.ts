import Type, { type Static } from 'typebox'
import type { EvaluationQuestion, QuestionResult } from '#database/schema/kb-evaluations.ts'
import {
  Body,
  CreatedAt,
  CreatedBy,
  described,
  Enum,
  idOf,
  NAME,
  NOT_BLANK,
  Nullable,
  ObjectId,
  Timestamp,
  Uuid,
} from '#platform/http/schemas.ts'
import { Filter, Limit, Rerank, ScoreThreshold } from './search-schemas.ts'

export const QUESTIONS_MAX = 1_000
const QUESTION_CHARACTERS_MAX = 2_000
/** Maximum length of `document_ids` and of `document_names` of a question. */
const DOCUMENTS_MAX = 100
const NAME_CHARACTERS_MAX = 1_000

const Question = Body(
  {
    question: Type.String({
      minLength: 1,
      maxLength: QUESTION_CHARACTERS_MAX,
      ...NOT_BLANK,
      description: 'Question to search for.',
    }),
    document_ids: Type.Optional(
      Type.Array(Uuid, {
        minItems: 1,
        maxItems: DOCUMENTS_MAX,
        description: 'IDs of the documents that answer the question.',
      }),
    ),
    document_names: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: NAME_CHARACTERS_MAX }), {
        minItems: 1,
        maxItems: DOCUMENTS_MAX,
        description:
          'Names of the documents that answer the question. Each run resolves them again, so they survive re-ingestion. A name stands for all documents with that name.',
      }),
    ),
  },
  { title: 'EvaluationQuestion' },
)

export const NewEvaluation = Body({
  name: Type.String({ minLength: 1, maxLength: 200, ...NAME, description: 'Name of the evaluation.' }),
  questions: Type.Array(Question, {
    minItems: 1,
    maxItems: QUESTIONS_MAX,
    description: 'Questions, each with `document_ids`, `document_names`, or both.',
  }),
})
export type NewEvaluation = Static<typeof NewEvaluation>

export const NewRun = Body({
  limit: Type.Optional(
    Type.Integer({
      ...Limit,
      default: 10,
      description: 'Documents to return per question: the k of recall@k.',
    }),
  ),
  score_threshold: Type.Optional(ScoreThreshold),
  filter: Type.Optional(Filter),
  rerank: Type.Optional(Rerank),
})
export type NewRun = Static<typeof NewRun>

const evaluation = {
  id: ObjectId,
  kb_id: idOf('the knowledge base'),
  name: Type.String({ description: 'Name of the evaluation.' }),
  question_count: Type.Integer({ description: 'Number of questions.' }),
  created_by: CreatedBy,
  created_at: CreatedAt,
}
export const EvaluationView = Type.Object(evaluation, { title: 'Evaluation' })
export type EvaluationView = Static<typeof EvaluationView>

export const EvaluationWithQuestions = Type.Object(
  { ...evaluation, questions: Type.Array(Question, { description: 'Questions of the evaluation.' }) },
  { title: 'EvaluationWithQuestions' },
)
export type EvaluationWithQuestions = Static<typeof EvaluationWithQuestions>

const RunSettings = Type.Object(
  {
    limit: Type.Integer({ description: 'Documents returned per question: the k of recall@k.' }),
    score_threshold: Type.Number({ description: 'Minimum score of a result.' }),
    filter: Nullable(
      Type.Object(
        {},
        { additionalProperties: true, description: 'Filter on document metadata; null for none.' },
      ),
    ),
    rerank: Nullable(Type.String({ description: 'Name or ID of the reranking model; null for none.' })),
    embedding_model: Type.String({ description: 'Embedding model of the knowledge base.' }),
    chunking: Type.Object(
      {
        max_tokens: Type.Integer({ description: 'Maximum number of tokens per chunk.' }),
        overlap_tokens: Type.Integer({ description: 'Tokens that a chunk repeats from the previous one.' }),
      },
      { description: 'Chunking of the knowledge base.' },
    ),
    index_version: Type.Integer({
      description: 'Version of the index. Each change that affects results increments it.',
    }),
    chunks: Type.Integer({ description: 'Number of chunks in the index.' }),
  },
  { title: 'EvaluationRunSettings' },
)
/** Search settings of a run, and the state of the searched index. */
export type RunSettings = Static<typeof RunSettings>

const RunMetrics = Type.Object(
  {
    recall_at_k: Type.Number({
      description: 'Share of the relevant documents among the first `limit` results.',
    }),
    ndcg_at_10: Type.Number({
      description: 'Normalized discounted cumulative gain of the first 10 results (or `limit`).',
    }),
    mrr: Type.Number({ description: 'Mean reciprocal rank of the first relevant document; 0 without one.' }),
    questions: Type.Integer({ description: 'Number of questions that the means cover.' }),
    failed_questions: Type.Integer({ description: 'Questions not searched because a model failed.' }),
    questions_without_vectors: Type.Integer({
      description: 'Questions searched by words only because the embedding model failed.',
    }),
    index_version_at_end: Type.Integer({
      description:
        'Version of the index at the end. A different version than in the settings means that the knowledge base changed during the run.',
    }),
    milliseconds_p50: Type.Number({ description: 'Median search time per question, in milliseconds.' }),
    milliseconds_p95: Type.Number({
      description: '95th percentile of the search time per question, in milliseconds.',
    }),
  },
  { title: 'EvaluationMetrics' },
)
export type RunMetrics = Static<typeof RunMetrics>

export const RUN_STATUSES = ['pending', 'processing', 'complete', 'failed'] as const

const run = {
  id: ObjectId,
  kb_id: idOf('the knowledge base'),
  evaluation_id: idOf('the evaluation'),
  status: Enum(RUN_STATUSES, { description: 'Status of the run.' }),
  error: Nullable(Type.String({ description: 'Reason why the run failed; null if it did not.' })),
  settings: described(RunSettings, 'Settings and index of the run.'),
  metrics: Nullable(described(RunMetrics, 'Metrics of the run; null until it completes.')),
  created_by: CreatedBy,
  created_at: CreatedAt,
  finished_at: Nullable(described(Timestamp, 'When the run finished; null while it runs.')),
}
export const RunView = Type.Object(run, { title: 'EvaluationRun' })
export type RunView = Static<typeof RunView>

const QuestionResultView = Type.Object(
  {
    question: Type.String({ description: 'The question.' }),
    found: Type.Array(
      Type.Object({
        document_id: idOf('the document'),
        document_name: Type.String({ description: 'Name of the document.' }),
        score: Type.Number({ description: 'Score of the best chunk, from 0 to 1.' }),
      }),
      { description: 'Returned documents, best first, each with the score of its best chunk.' },
    ),
    first_rank: Nullable(
      Type.Integer({ description: 'Rank of the first relevant document; null if none was returned.' }),
    ),
    recall_at_k: Type.Number({
      description: 'Share of the relevant documents among the first `limit` results.',
    }),
    ndcg_at_10: Type.Number({
      description: 'Normalized discounted cumulative gain of the first 10 results (or `limit`).',
    }),
    missing: Type.Array(Type.String(), {
      description: 'IDs or names of relevant documents that no longer exist. They count as not found.',
    }),
    milliseconds: Type.Number({ description: 'Search time, in milliseconds.' }),
    dense_failure: Nullable(
      Type.String({ description: 'Reason why the vector search failed; null if it did not.' }),
    ),
    error: Nullable(Type.String({ description: 'Reason why the search failed; null if it did not.' })),
  },
  { title: 'EvaluationResult' },
)

export const RunWithResults = Type.Object(
  {
    ...run,
    results: Type.Array(QuestionResultView, { description: 'Results, in the order of the questions.' }),
    total: Type.Integer({ description: 'Number of questions searched so far.' }),
    page: Type.Integer({ description: 'Page number, from 1.' }),
    limit: Type.Integer({ description: 'Maximum number of results per page.' }),
  },
  { title: 'EvaluationRunWithResults' },
)
export type RunWithResults = Static<typeof RunWithResults>

/** Row of kb_evaluations. Timestamps are strings if the row comes from hand-written SQL. */
export interface EvaluationRow {
  id: string
  kbId: string
  name: string
  questionCount: number
  createdBy: string
  createdAt: Date | string
}

export interface RunRow {
  id: string
  kbId: string
  evaluationId: string
  createdBy: string
  status: (typeof RUN_STATUSES)[number]
  error: string | null
  settings: RunSettings
  metrics: RunMetrics | null
  createdAt: string
  finishedAt: string | null
}

export const viewEvaluation = (row: EvaluationRow): EvaluationView => ({
  id: row.id,
  kb_id: row.kbId,
  name: row.name,
  question_count: row.questionCount,
  created_by: row.createdBy,
  created_at: new Date(row.createdAt).toISOString(),
})

export const viewWithQuestions = (
  row: EvaluationRow,
  questions: EvaluationQuestion[],
): EvaluationWithQuestions => ({ ...viewEvaluation(row), questions })

export const viewRun = (row: RunRow): RunView => ({
  id: row.id,
  kb_id: row.kbId,
  evaluation_id: row.evaluationId,
  status: row.status,
  error: row.error,
  settings: row.settings,
  metrics: row.metrics,
  created_by: row.createdBy,
  created_at: new Date(row.createdAt).toISOString(),
  finished_at: row.finishedAt && new Date(row.finishedAt).toISOString(),
})

export const viewResults = (
  row: RunRow,
  results: QuestionResult[],
  page: { total: number; page: number; limit: number },
): RunWithResults => ({ ...viewRun(row), results, ...page })
