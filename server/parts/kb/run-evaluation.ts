import type { EvaluationQuestion, QuestionResult } from '#database/schema/kb-evaluations.ts'
import type { TenantSql } from '#database/tenant-sql.ts'
import { AppError, sentence } from '#errors'
import type { Queue } from '#platform/jobs/jobs.ts'
import { ndcgAt10, recallAt, reciprocalRank } from '#platform/retrieval/metrics.ts'
import type { RunningSweep } from '#platform/sweeps/sweeps.ts'
import type { ResolvedModel } from '../llm/index.ts'
import { hasSource, isRunClaimable } from './claimable.ts'
import { ClaimedRun, RUN_HOURS_MAX, type Run, type RunRef } from './claimed-run.ts'
import type { KbDependencies } from './dependencies.ts'
import { unattributed } from './embed-texts.ts'
import type { RunSettings } from './evaluation-schemas.ts'
import { type Condition, parseFilter } from './filter.ts'
import { findOpenRuns, sqlOf } from './find-work-system.ts'
import type { KbRef } from './ingestion.ts'
import { retrieve } from './retrieve.ts'
import { findReranker } from './search-kb.ts'

/*
 * A run searches for the questions of an evaluation, one after another, with the same code as the search route. A
 * process claims a run for a turn of some seconds, so that other runs also get turns.
 *
 * Results are stored at the end of a turn, and the next turn continues after them. A normal stop of the process
 * therefore neither repeats a question nor charges it twice. If the knowledge base changes during the run, the index
 * version in the metrics differs from the one in the settings.
 */

export interface EvaluationRuns {
  queues: Queue<never>[]
  begin(run: RunRef): Promise<void>
  /** Starts the periodic sweep, which queues new runs and the runs of dead processes. */
  start(): void
  stop(): Promise<void>
}

const SWEEP_MS = 5_000
const TURN_MS = 20_000
/** Interval for checking that this process still holds its claim, in milliseconds. */
const CHECK_MS = 1_000
/** A run fails after this number of consecutive questions for which a model failed. */
const FAILURES_MAX = 10
/**
 * Timeout of the job, in seconds. Longer than `TURN_MS`, because a turn completes its last question, which may wait
 * for models.
 */
const TURN_SECONDS_MAX = 900
/** Maximum time that `stop` waits for turns, in milliseconds. Another process repeats a turn that takes longer. */
const STOP_MS = 3_000

const UNEXPECTED = sentence('kb.evaluation_failed')

export function createEvaluationRuns(deps: KbDependencies): EvaluationRuns {
  const { database, jobs, log, instance, sweeps } = deps.services
  /**
   * Turns in progress, by run id. After a database outage, the table may show other runs as claimed by this process.
   * The next turn takes them over.
   */
  const held = new Map<string, Promise<void>>()
  const stopping = new AbortController()
  let sweep: RunningSweep | undefined

  const queue: Queue<RunRef> = {
    name: 'kb-evaluations',
    retries: 0,
    firstRetrySeconds: 1,
    timeoutSeconds: TURN_SECONDS_MAX,
    concurrency: 1,
    isKeyed: true,
    async run(ref) {
      if (stopping.signal.aborted || held.has(ref.runId)) return
      const turn = runTurn(ref)
      held.set(ref.runId, turn)
      await turn.finally(() => held.delete(ref.runId))
    },
  }
  const begin: EvaluationRuns['begin'] = (ref) =>
    jobs.add(sqlOf(database, ref), queue, ref, { key: ref.runId, group: ref.organizationId })

  async function runTurn(ref: RunRef): Promise<void> {
    const sql = sqlOf(database, ref)
    const claim = new ClaimedRun(sql, instance.id, ref)
    const run = await claim.take(isRunClaimable(sql, instance.id, [...held.keys()]))
    if (!run) return
    try {
      if (run.isLate) throw new RunError(sentence('kb.evaluation_timeout', { hours: RUN_HOURS_MAX }))
      if (await askQuestions(deps, sql, claim, run, stopping.signal)) await claim.complete(run.results)
      else if (await claim.pause(run.results)) await begin(ref)
    } catch (error) {
      const isExpected = error instanceof AppError || error instanceof RunError
      log[isExpected ? 'info' : 'error']({ err: error }, 'an evaluation run failed')
      await claim.fail(isExpected ? error.message : UNEXPECTED, run.results)
    }
  }

  return {
    queues: [queue],
    begin,
    start() {
      sweep = sweeps.begin({
        name: 'evaluation runs',
        everyMs: SWEEP_MS,
        find: () => findOpenRuns(database, instance.id, [...held.keys()]),
        async work(open) {
          for (const ref of open) await begin(ref)
        },
        failure: 'evaluation run sweep failed',
      })
    },
    async stop() {
      stopping.abort()
      void sweep?.end()
      const late = new Promise((resolve) => setTimeout(resolve, STOP_MS).unref())
      await Promise.race([Promise.allSettled(held.values()), late])
    },
  }
}

/** Failure of a run, with a message for users. */
class RunError extends Error {
  override readonly name = 'RunError'
}

/**
 * Searches for the remaining questions and appends the results. Returns true if no questions are left. Returns false
 * if the turn ended or the claim was lost.
 */
async function askQuestions(
  deps: KbDependencies,
  sql: TenantSql,
  claim: ClaimedRun,
  { settings, questions, results }: Run,
  stopping: AbortSignal,
): Promise<boolean> {
  const { ref } = claim
  const answers = await readAnswers(sql, ref, questions)
  const conditions: RunConditions = {
    sql,
    settings,
    filter: parseFilter(settings.filter ?? {}),
    rerank: await findReranker(deps, ref, settings.rerank),
  }
  const end = performance.now() + TURN_MS
  let check = performance.now() + CHECK_MS
  for (const question of questions.slice(results.length)) {
    const now = performance.now()
    if (stopping.aborted || now > end) return false
    if (now > check && !(await claim.isHeld())) return false
    if (now > check) check = now + CHECK_MS
    const result = await ask(deps, ref, question, answers(question), conditions)
    results.push(result)
    await deps.services.pacer.restAfter(result.milliseconds, stopping)
    const latest = results.slice(-FAILURES_MAX)
    const reason = latest.at(-1)?.error ?? ''
    if (latest.length === FAILURES_MAX && latest.every(({ error }) => error !== null))
      throw new RunError(reason)
  }
  if (results.every(({ error }) => error !== null)) throw new RunError(results[0]?.error ?? UNEXPECTED)
  return true
}

interface RunConditions {
  sql: TenantSql
  settings: RunSettings
  filter: Condition[]
  rerank: ResolvedModel | null
}

interface Answers {
  right: Set<string>
  missing: string[]
}

/**
 * Resolves the relevant documents of each question to ids. Documents that no longer exist keep the given id or name.
 */
async function readAnswers(
  sql: TenantSql,
  { organizationId, kbId }: KbRef,
  questions: EvaluationQuestion[],
): Promise<(question: EvaluationQuestion) => Answers> {
  const ids = new Set(questions.flatMap((question) => question.document_ids ?? []))
  const names = new Set(questions.flatMap((question) => question.document_names ?? []))
  const rows = await sql<{ id: string; name: string }[]>`
    select id, name from kb_documents d
    where kb_id = ${kbId} and organization_id = ${organizationId} and ${hasSource(sql)}
      and (id = any(${[...ids]}) or name = any(${[...names]}))`
  const known = new Set(rows.map(({ id }) => id))
  const byName = Map.groupBy(rows, ({ name }) => name)
  return ({ document_ids: documentIds = [], document_names: named = [] }) => {
    const missing = [
      ...documentIds.filter((id) => !known.has(id)),
      ...named.filter((name) => !byName.has(name)),
    ]
    const found = named.flatMap((name) => byName.get(name) ?? []).map(({ id }) => id)
    return { right: new Set([...documentIds, ...found, ...missing]), missing: [...new Set(missing)] }
  }
}

/** Searches for one question. The result records a failure of a model. Any other error ends the run. */
async function ask(
  deps: KbDependencies,
  { organizationId, kbId }: KbRef,
  { question }: EvaluationQuestion,
  { right, missing }: Answers,
  { sql, settings, filter, rerank }: RunConditions,
): Promise<QuestionResult> {
  const begin = performance.now()
  const none = { question, found: [], first_rank: null, recall_at_k: 0, ndcg_at_10: 0, missing }
  try {
    const { passages, receipt } = await retrieve(deps, unattributed({ organizationId }), {
      sql,
      organizationId,
      knowledgeBaseIds: [kbId],
      query: question,
      limit: settings.limit,
      scoreThreshold: settings.score_threshold,
      filter,
      rerank,
      oncePerDocument: true,
    })
    const milliseconds = performance.now() - begin
    const ranking = { found: passages.map(({ documentId }) => documentId), right }
    const reciprocal = reciprocalRank(ranking)
    return {
      ...none,
      found: passages.map(({ documentId, documentName, score }) => ({
        document_id: documentId,
        document_name: documentName,
        score,
      })),
      first_rank: reciprocal === 0 ? null : Math.round(1 / reciprocal),
      recall_at_k: recallAt(settings.limit, ranking),
      ndcg_at_10: ndcgAt10(ranking),
      milliseconds,
      dense_failure: receipt.denseFailure,
      error: null,
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'llm.failed') throw error
    return { ...none, milliseconds: performance.now() - begin, dense_failure: null, error: error.message }
  }
}
