import Type, { type Static } from 'typebox'
import type { EvaluationQuestion, QuestionResult } from '#database/schema/kb.ts'
import { Body, Enum, NOT_BLANK, Nullable, Timestamp, Uuid } from '#platform/http/schemas.ts'
import { Filter, Limit, Rerank, ScoreThreshold } from './search-schemas.ts'

export const QUESTIONS_MAX = 1_000
const QUESTION_CHARACTERS_MAX = 2_000
/** Right answers of one question, of each kind. */
const DOCUMENTS_MAX = 100
const NAME_CHARACTERS_MAX = 1_000

const Question = Body(
  {
    question: Type.String({ minLength: 1, maxLength: QUESTION_CHARACTERS_MAX, ...NOT_BLANK }),
    document_ids: Type.Optional(
      Type.Array(Uuid, { minItems: 1, maxItems: DOCUMENTS_MAX, description: 'Documents that answer it' }),
    ),
    document_names: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: NAME_CHARACTERS_MAX }), {
        minItems: 1,
        maxItems: DOCUMENTS_MAX,
        description:
          'The same by their names, which stay when documents are read anew; looked up by each run. A name stands for ' +
          'all documents that have it',
      }),
    ),
  },
  { title: 'EvaluationQuestion' },
)

export const NewEvaluation = Body({
  name: Type.String({ minLength: 1, maxLength: 200, ...NOT_BLANK }),
  questions: Type.Array(Question, {
    minItems: 1,
    maxItems: QUESTIONS_MAX,
    description: 'Each with document_ids, document_names, or both',
  }),
})
export type NewEvaluation = Static<typeof NewEvaluation>

export const NewRun = Body({
  limit: Type.Optional(
    Type.Integer({
      ...Limit,
      default: 10,
      description: 'Documents to find for a question: the k of recall@k',
    }),
  ),
  score_threshold: Type.Optional(ScoreThreshold),
  filter: Type.Optional(Filter),
  rerank: Type.Optional(Rerank),
})
export type NewRun = Static<typeof NewRun>

const evaluation = {
  id: Uuid,
  kb_id: Uuid,
  name: Type.String(),
  question_count: Type.Integer(),
  created_by: Uuid,
  created_at: Timestamp,
}
export const EvaluationView = Type.Object(evaluation, { title: 'Evaluation' })
export type EvaluationView = Static<typeof EvaluationView>

export const EvaluationWithQuestions = Type.Object(
  { ...evaluation, questions: Type.Array(Question) },
  { title: 'EvaluationWithQuestions' },
)
export type EvaluationWithQuestions = Static<typeof EvaluationWithQuestions>

const RunSettings = Type.Object(
  {
    limit: Type.Integer(),
    score_threshold: Type.Number(),
    filter: Nullable(Type.Object({}, { additionalProperties: true })),
    rerank: Nullable(Type.String()),
    embedding_model: Type.String(),
    chunking: Type.Object({ max_tokens: Type.Integer(), overlap_tokens: Type.Integer() }),
    index_version: Type.Integer({ description: 'Raised by whatever changes what is found' }),
    chunks: Type.Integer(),
  },
  { title: 'EvaluationRunSettings' },
)
/** What a run searches with, and what it searches in. */
export type RunSettings = Static<typeof RunSettings>

const RunMetrics = Type.Object(
  {
    recall_at_k: Type.Number({ description: 'How many of the right documents are among the first limit' }),
    ndcg_at_10: Type.Number({
      description: 'Normalized discounted cumulated gain of the first 10 (or limit)',
    }),
    mrr: Type.Number({ description: 'The mean of 1 by the rank of the first right document, 0 without one' }),
    questions: Type.Integer({ description: 'Those that the means are of' }),
    failed_questions: Type.Integer({ description: 'Not searched for, because a model failed' }),
    questions_without_vectors: Type.Integer({
      description: 'Only their words were looked for, because the embedding model failed',
    }),
    index_version_at_end: Type.Integer({
      description: 'Another one than that of the settings: the knowledge base has changed during the run',
    }),
    milliseconds_p50: Type.Number({ description: 'Of the search for one question' }),
    milliseconds_p95: Type.Number(),
  },
  { title: 'EvaluationMetrics' },
)
export type RunMetrics = Static<typeof RunMetrics>

export const RUN_STATUSES = ['pending', 'processing', 'complete', 'failed'] as const

const run = {
  id: Uuid,
  kb_id: Uuid,
  evaluation_id: Uuid,
  status: Enum(RUN_STATUSES),
  error: Nullable(Type.String()),
  settings: RunSettings,
  metrics: Nullable(RunMetrics),
  created_by: Uuid,
  created_at: Timestamp,
  finished_at: Nullable(Timestamp),
}
export const RunView = Type.Object(run, { title: 'EvaluationRun' })
export type RunView = Static<typeof RunView>

const QuestionResultView = Type.Object(
  {
    question: Type.String(),
    found: Type.Array(
      Type.Object({ document_id: Uuid, document_name: Type.String(), score: Type.Number() }),
      { description: 'Documents, the best first, each with the score of its best chunk' },
    ),
    first_rank: Nullable(Type.Integer({ description: 'Of the first right document' })),
    recall_at_k: Type.Number(),
    ndcg_at_10: Type.Number(),
    missing: Type.Array(Type.String(), {
      description: 'Right documents that are not there (any more), by id or name: they count as not found',
    }),
    milliseconds: Type.Number(),
    dense_failure: Nullable(Type.String()),
    error: Nullable(Type.String()),
  },
  { title: 'EvaluationResult' },
)

export const RunWithResults = Type.Object(
  {
    ...run,
    results: Type.Array(QuestionResultView, { description: 'In the order of the questions' }),
    total: Type.Integer({ description: 'Questions that have been searched for' }),
    page: Type.Integer(),
    limit: Type.Integer(),
  },
  { title: 'EvaluationRunWithResults' },
)
export type RunWithResults = Static<typeof RunWithResults>

/** Times are texts where a statement was written by hand. */
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
