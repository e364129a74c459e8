import { and, eq } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import {
  type EvaluationQuestion,
  kbEvaluations,
  type QuestionResult,
} from '#database/schema/kb-evaluations.ts'
import type { TenantSql } from '#database/tenant-sql.ts'
import { fail, sentence } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import { hasSource } from './claimable.ts'
import type { KbDependencies } from './dependencies.ts'
import {
  type EvaluationRow,
  type EvaluationView,
  type EvaluationWithQuestions,
  type NewEvaluation,
  type NewRun,
  type RunRow,
  type RunSettings,
  type RunView,
  type RunWithResults,
  viewEvaluation,
  viewResults,
  viewRun,
  viewWithQuestions,
} from './evaluation-schemas.ts'
import { parseFilter } from './filter.ts'
import { lockKb } from './lock-kb.ts'
import { findKnowledgeBase } from './manage-knowledge-bases.ts'
import type { EvaluationRuns } from './run-evaluation.ts'
import { findReranker } from './search-kb.ts'

/*
 * An evaluation is a set of questions, each with the documents that answer it. A run measures how well searches find
 * these documents. Lists omit questions and results, which may be long.
 */

/** @limit evaluations of a knowledge base */
const EVALUATIONS_MAX = 100
/** @limit runs in progress of an evaluation */
const OPEN_RUNS_MAX = 5
/** Maximum number of stored runs per evaluation. Starting a run deletes the oldest finished runs above the limit. */
const RUNS_KEPT = 100
/** Maximum number of unknown document ids that an error lists. */
const NAMED_MAX = 10
const RUN_LIMIT_DEFAULT = 10
const RESULTS_DEFAULT = 100

interface OneKb {
  kb_id: string
}
interface OneEvaluation extends OneKb {
  evaluation_id: string
}
interface OneRun extends OneKb {
  run_id: string
}

/**
 * Creates an evaluation. Throws kb.documents_unknown, kb.too_many_evaluations, and request.invalid if a question has
 * no documents.
 */
export async function createEvaluation(
  scope: Scope<'kb:write'>,
  kbId: string,
  { name, questions }: NewEvaluation,
): Promise<EvaluationView> {
  const { sql } = scope
  checkAnswers(questions)
  await checkDocuments(scope, kbId, questions)
  const row = await sql.begin(async (tx) => {
    const kb = await lockKb(tx, { organizationId: scope.organizationId, kbId })
    if (!kb) throw fail('kb.not_found', { value: kbId })
    const [made] = await tx<EvaluationRow[]>`
      insert into kb_evaluations (id, organization_id, kb_id, created_by, name, questions)
      select ${newId()}, ${scope.organizationId}, ${kbId}, ${scope.userId}, ${name.trim()},
        ${JSON.stringify(questions)}::text::jsonb
      where (select count(*) from kb_evaluations
        where kb_id = ${kbId} and organization_id = ${scope.organizationId}) < ${EVALUATIONS_MAX}
      returning ${evaluationColumns(sql)}`
    return made
  })
  if (!row) throw fail('kb.too_many_evaluations', { limit: EVALUATIONS_MAX })
  return viewEvaluation(row)
}

function checkAnswers(questions: EvaluationQuestion[]): void {
  const index = questions.findIndex(({ document_ids: ids, document_names: names }) => !ids && !names)
  if (index >= 0) throw fail('request.invalid', { reason: sentence('kb.question_documents', { index }) })
}

async function checkDocuments(
  { sql, organizationId }: Scope<'kb:write'>,
  kbId: string,
  questions: EvaluationQuestion[],
): Promise<void> {
  const ids = [...new Set(questions.flatMap(({ document_ids: some = [] }) => some))]
  if (ids.length === 0) return
  const rows = await sql<{ id: string }[]>`
    select id from kb_documents d
    where kb_id = ${kbId} and organization_id = ${organizationId} and id = any(${ids}) and ${hasSource(sql)}`
  const known = new Set(rows.map(({ id }) => id))
  const unknown = ids.filter((id) => !known.has(id))
  if (unknown.length === 0) return
  const more = unknown.length > NAMED_MAX ? `, and ${unknown.length - NAMED_MAX} more` : ''
  throw fail('kb.documents_unknown', { ids: unknown.slice(0, NAMED_MAX).join(', ') + more })
}

const evaluationColumns = (sql: TenantSql) => sql`
  id, kb_id as "kbId", name, jsonb_array_length(questions) as "questionCount", created_by as "createdBy",
  created_at as "createdAt"`

export const listEvaluations = (
  { sql, organizationId }: Scope<'kb:read'>,
  { kb_id: kbId, ...query }: OneKb & { limit?: number; cursor?: string },
): Promise<Page<EvaluationView>> =>
  readPage(
    query,
    async (below, count) => sql<EvaluationRow[]>`
        select ${evaluationColumns(sql)} from kb_evaluations
        where kb_id = ${kbId} and organization_id = ${organizationId}
          and (${below ?? null}::uuid is null or id < ${below ?? null}::uuid)
        order by id desc limit ${count}`,
    viewEvaluation,
  )

/** Returns an evaluation with its questions. Throws kb.evaluation_not_found. */
export async function getEvaluation(
  scope: Scope<'kb:read'>,
  { kb_id: kbId, evaluation_id: id }: OneEvaluation,
): Promise<EvaluationWithQuestions> {
  const where = and(eq(kbEvaluations.kbId, kbId), eq(kbEvaluations.id, id))
  const [row] = await scope.select(kbEvaluations, { where })
  if (!row) throw fail('kb.evaluation_not_found', { value: id })
  return viewWithQuestions({ ...row, questionCount: row.questions.length }, row.questions)
}

/** Deletes an evaluation with its runs. A run in progress stops. Throws kb.evaluation_not_found. */
export async function deleteEvaluation(
  scope: Scope<'kb:delete'>,
  { kb_id: kbId, evaluation_id: id }: OneEvaluation,
): Promise<void> {
  const rows = await scope.delete(kbEvaluations, and(eq(kbEvaluations.kbId, kbId), eq(kbEvaluations.id, id)))
  if (rows.length === 0) throw fail('kb.evaluation_not_found', { value: id })
}

/**
 * Queues a run that searches for each question with these settings. Throws kb.evaluation_not_found, kb.too_many_runs,
 * kb.filter_invalid, and the errors of findReranker.
 */
export async function startRun(
  deps: KbDependencies,
  runs: EvaluationRuns,
  scope: Scope<'kb:write'>,
  { kb_id: kbId, evaluation_id: evaluationId }: OneEvaluation,
  { limit = RUN_LIMIT_DEFAULT, score_threshold: threshold = 0, filter, rerank }: NewRun,
): Promise<RunView> {
  const { sql, organizationId } = scope
  parseFilter(filter)
  await findReranker(deps, scope, rerank)
  const kb = await findKnowledgeBase(scope, kbId)
  const settings: RunSettings = {
    limit,
    score_threshold: threshold,
    filter: filter ?? null,
    rerank: rerank ?? null,
    embedding_model: kb.embeddingModel,
    chunking: kb.chunking,
    index_version: kb.indexVersion,
    chunks: kb.chunkCount,
  }
  const row = await sql.begin(async (tx) => {
    const [evaluation] = await tx`
      select from kb_evaluations
      where id = ${evaluationId} and kb_id = ${kbId} and organization_id = ${organizationId} for no key update`
    if (!evaluation) throw fail('kb.evaluation_not_found', { value: evaluationId })
    await tx`
      delete from kb_evaluation_runs
      where evaluation_id = ${evaluationId} and organization_id = ${organizationId}
        and status in ('complete', 'failed')
        and id not in (select id from kb_evaluation_runs
          where evaluation_id = ${evaluationId} and organization_id = ${organizationId}
          order by id desc limit ${RUNS_KEPT - 1})`
    const [made] = await tx<RunRow[]>`
      insert into kb_evaluation_runs (id, organization_id, kb_id, evaluation_id, created_by, status, settings)
      select ${newId()}, ${organizationId}, ${kbId}, ${evaluationId}, ${scope.userId}, 'pending',
        ${JSON.stringify(settings)}::text::jsonb
      where (select count(*) from kb_evaluation_runs
        where evaluation_id = ${evaluationId} and organization_id = ${organizationId}
        and status in ('pending', 'processing')) < ${OPEN_RUNS_MAX}
      returning ${runColumns(sql)}`
    return made
  })
  if (!row) throw fail('kb.too_many_runs', { limit: OPEN_RUNS_MAX })
  await runs.begin({ organizationId, kbId, runId: row.id })
  return viewRun(row)
}

const runColumns = (sql: TenantSql) => sql`
  id, kb_id as "kbId", evaluation_id as "evaluationId", created_by as "createdBy", status, error, settings, metrics,
  created_at as "createdAt", finished_at as "finishedAt"`

/** Returns runs, newest first, with their settings and metrics. Throws kb.evaluation_not_found. */
export async function listRuns(
  { sql, organizationId }: Scope<'kb:read'>,
  { kb_id: kbId, evaluation_id: id, ...query }: OneEvaluation & { limit?: number; cursor?: string },
): Promise<Page<RunView>> {
  const [evaluation] = await sql`
    select from kb_evaluations where id = ${id} and kb_id = ${kbId} and organization_id = ${organizationId}`
  if (!evaluation) throw fail('kb.evaluation_not_found', { value: id })
  return readPage(
    query,
    async (below, count) => sql<RunRow[]>`
      select ${runColumns(sql)} from kb_evaluation_runs
      where evaluation_id = ${id} and kb_id = ${kbId} and organization_id = ${organizationId}
        and (${below ?? null}::uuid is null or id < ${below ?? null}::uuid)
      order by id desc limit ${count}`,
    viewRun,
  )
}

/** Returns a run with one page of its results. Throws kb.run_not_found. */
export async function getRun(
  { sql, organizationId }: Scope<'kb:read'>,
  { kb_id: kbId, run_id: id, page = 1, limit = RESULTS_DEFAULT }: OneRun & { page?: number; limit?: number },
): Promise<RunWithResults> {
  const from = (page - 1) * limit
  const [row] = await sql<(RunRow & { results: QuestionResult[]; total: number })[]>`
    select ${runColumns(sql)}, coalesce(jsonb_array_length(results), 0) as total,
      coalesce((select jsonb_agg(value order by place)
        from jsonb_array_elements(results) with ordinality as r (value, place)
        where place > ${from} and place <= ${from + limit}), '[]') as results
    from kb_evaluation_runs where id = ${id} and kb_id = ${kbId} and organization_id = ${organizationId}`
  if (!row) throw fail('kb.run_not_found', { value: id })
  return viewResults(row, row.results, { total: row.total, page, limit })
}
