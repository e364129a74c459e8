import type { EvaluationQuestion, QuestionResult } from '#database/schema/kb-evaluations.ts'
import type { Fragment, TenantSql } from '#database/tenant-sql.ts'
import type { RunMetrics, RunSettings } from './evaluation-schemas.ts'
import type { KbRef } from './ingestion.ts'

export interface RunRef extends KbRef {
  runId: string
}

/** Maximum age of a run in hours, counted from the request that started it. */
export const RUN_HOURS_MAX = 24

/** State of a run when a process claims it. */
export interface Run {
  settings: RunSettings
  questions: EvaluationQuestion[]
  results: QuestionResult[]
  isLate: boolean
}

/** A run that this process claims. All writes are ignored after the run is deleted or claimed by another process. */
export class ClaimedRun {
  readonly #sql: TenantSql
  readonly #instanceId: string
  readonly ref: RunRef

  constructor(sql: TenantSql, instanceId: string, ref: RunRef) {
    this.#sql = sql
    this.#instanceId = instanceId
    this.ref = ref
  }

  /**
   * Claims the run. Returns undefined if the run was deleted or `claimable` is false for it. Until the run has
   * results, each claim also stores the knowledge base's current settings with the run.
   */
  async take(claimable: Fragment): Promise<Run | undefined> {
    const { organizationId, kbId, runId } = this.ref
    const [run] = await this.#sql<Run[]>`
      update kb_evaluation_runs r
      set status = 'processing', claimed_by = ${this.#instanceId},
        settings = case when results is not null then settings else settings || (
          select jsonb_build_object('embedding_model', k.embedding_model, 'chunking', k.chunking,
            'index_version', k.index_version, 'chunks', k.chunk_count)
          from knowledge_bases k where k.id = r.kb_id and k.organization_id = r.organization_id) end
      where id = ${runId} and kb_id = ${kbId} and organization_id = ${organizationId} and ${claimable}
      returning settings, coalesce(results, '[]') as results,
        created_at < now() - ${RUN_HOURS_MAX} * interval '1 hour' as "isLate",
        coalesce((select questions from kb_evaluations e
          where e.id = evaluation_id and e.organization_id = r.organization_id), '[]') as questions`
    return run
  }

  async isHeld(): Promise<boolean> {
    const rows = await this.#sql`select from kb_evaluation_runs where ${this.#isMine()}`
    return rows.length > 0
  }

  /**
   * Stores the results so far and releases the run until its next turn. Returns false if this process has lost its
   * claim on the run.
   */
  async pause(results: QuestionResult[]): Promise<boolean> {
    // Unlocked: only the holder of the claim changes the results.
    const { count } = await this.#sql`
      update kb_evaluation_runs set claimed_by = null, results = ${JSON.stringify(results)}::text::jsonb
      where ${this.#isMine()}`
    return count > 0
  }

  async complete(results: QuestionResult[]): Promise<void> {
    // Unlocked: only the holder of the claim changes the results.
    await this.#sql`
      update kb_evaluation_runs r
      set status = 'complete', claimed_by = null, finished_at = now(),
        results = ${JSON.stringify(results)}::text::jsonb,
        metrics = ${JSON.stringify(metricsOf(results))}::text::jsonb || jsonb_build_object('index_version_at_end',
          (select k.index_version from knowledge_bases k
            where k.id = r.kb_id and k.organization_id = r.organization_id))
      where ${this.#isMine()}`
  }

  async fail(reason: string, results: QuestionResult[]): Promise<void> {
    // Unlocked: only the holder of the claim changes the results.
    await this.#sql`
      update kb_evaluation_runs
      set status = 'failed', error = ${reason}, claimed_by = null, finished_at = now(),
        results = ${JSON.stringify(results)}::text::jsonb
      where ${this.#isMine()}`
  }

  #isMine(): Fragment {
    const { organizationId, kbId, runId } = this.ref
    return this.#sql`id = ${runId} and kb_id = ${kbId} and organization_id = ${organizationId}
      and status = 'processing' and claimed_by = ${this.#instanceId}`
  }
}

function metricsOf(results: QuestionResult[]): Omit<RunMetrics, 'index_version_at_end'> {
  const answered = results.filter(({ error }) => error === null)
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const times = answered.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
  const percentile = (share: number): number => times[Math.ceil(times.length * share) - 1] ?? 0
  return {
    recall_at_k: mean(answered.map((result) => result.recall_at_k)),
    ndcg_at_10: mean(answered.map((result) => result.ndcg_at_10)),
    mrr: mean(answered.map(({ first_rank: rank }) => (rank === null ? 0 : 1 / rank))),
    questions: answered.length,
    failed_questions: results.length - answered.length,
    questions_without_vectors: answered.filter((result) => result.dense_failure !== null).length,
    milliseconds_p50: percentile(0.5),
    milliseconds_p95: percentile(0.95),
  }
}
