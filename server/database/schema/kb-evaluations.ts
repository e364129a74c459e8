import { foreignKey, index, jsonb, pgTable, sql, text, unique, uuid } from '../drizzle.ts'
import { createdAt, id, moment, updatedAt } from './columns.ts'
import { knowledgeBases } from './kb.ts'

/**
 * A test question, and the ids or names of the documents that answer it. Names stay valid when a source is read
 * again.
 */
export interface EvaluationQuestion {
  question: string
  document_ids?: string[]
  document_names?: string[]
}

/** The result of one question in an evaluation run. */
export interface QuestionResult {
  question: string
  /** The documents that the search found, best first. `score` is the score of the document's best chunk. */
  found: { document_id: string; document_name: string; score: number }[]
  /** The rank of the first expected document. Null if the search found none of them. */
  first_rank: number | null
  recall_at_k: number
  ndcg_at_10: number
  /** Names and ids of expected documents that no longer exist. */
  missing: string[]
  milliseconds: number
  /** Why the question could not be embedded. Null if it was. Without an embedding, only the lexical search runs. */
  dense_failure: string | null
  /** Why the search failed, or null. Metrics exclude failed questions. */
  error: string | null
}

/** Evaluations: test questions that measure the search quality of a knowledge base. */
export const kbEvaluations = pgTable(
  'kb_evaluations',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    kbId: uuid('kb_id').notNull(),
    createdBy: uuid('created_by').notNull(),
    name: text('name').notNull(),
    questions: jsonb('questions').$type<EvaluationQuestion[]>().notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('kb_evaluations_kb_evaluation').on(table.organizationId, table.kbId, table.id),
    index('kb_evaluations_list').on(table.kbId, table.id),
    foreignKey({
      name: 'kb_evaluations_kb',
      columns: [table.organizationId, table.kbId],
      foreignColumns: [knowledgeBases.organizationId, knowledgeBases.id],
    }).onDelete('cascade'),
  ],
)

/** Runs of an evaluation, each with its settings, results and metrics. */
export const kbEvaluationRuns = pgTable(
  'kb_evaluation_runs',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    kbId: uuid('kb_id').notNull(),
    evaluationId: uuid('evaluation_id').notNull(),
    createdBy: uuid('created_by').notNull(),
    status: text('status', { enum: ['pending', 'processing', 'complete', 'failed'] }).notNull(),
    error: text('error'),
    claimedBy: uuid('claimed_by'),
    settings: jsonb('settings').$type<Record<string, unknown>>().notNull(),
    metrics: jsonb('metrics').$type<Record<string, number>>(),
    /** One result for each question processed so far, in the order of the questions. */
    results: jsonb('results').$type<QuestionResult[]>(),
    createdAt: createdAt(),
    finishedAt: moment('finished_at'),
  },
  (table) => [
    index('kb_evaluation_runs_list').on(table.evaluationId, table.id),
    index('kb_evaluation_runs_open').on(table.kbId).where(sql`${table.status} in ('pending', 'processing')`),
    foreignKey({
      name: 'kb_evaluation_runs_evaluation',
      columns: [table.organizationId, table.kbId, table.evaluationId],
      foreignColumns: [kbEvaluations.organizationId, kbEvaluations.kbId, kbEvaluations.id],
    }).onDelete('cascade'),
  ],
)
