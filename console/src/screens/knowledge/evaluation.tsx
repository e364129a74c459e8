import type { EvaluationRun } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Gauge, Play, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { knownName } from '../../api/known-name.ts'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Back } from '../../ui/back.tsx'
import { Button } from '../../ui/button.tsx'
import { useDelete } from '../../ui/deletions.ts'
import { LineChart } from '../../ui/line-chart.tsx'
import { Section } from '../../ui/page.tsx'
import { Empty, Loaded, Skeleton } from '../../ui/states.tsx'
import { TableSkeleton } from '../../ui/table.tsx'
import { useKnowledgeBase } from './knowledge-base-context.tsx'
import { MeasuresHelp } from './measures-help.tsx'
import { RunDetails } from './run-details.tsx'
import { isRunning, numberOf, RUN_POLL_MS, RunTable } from './run-table.tsx'
import { StartRun } from './start-run.tsx'

const t = translator('evaluations')

/** Maximum number of runs that the server stores per evaluation (server/parts/kb/evaluations.ts). */
const RUNS_MAX = 100

export function EvaluationScreen() {
  const { base } = useKnowledgeBase()
  const { evaluationId } = useParams({ from: '/app/knowledge/$kbId/evaluations/$evaluationId' })
  const { run: runId } = useSearch({ from: '/app/knowledge/$kbId/evaluations/$evaluationId' })
  const { may } = useHere()
  const [isStarting, setStarting] = useState(false)
  const run = may('kb:write') && (
    <Button kind="primary" icon={Play} onClick={() => setStarting(true)}>
      {t('run.title')}
    </Button>
  )
  const runs = useQuery({
    ...read('GET /api/kb/evaluations/list_runs', {
      kb_id: base.id,
      evaluation_id: evaluationId,
      limit: RUNS_MAX,
    }),
    refetchInterval: ({ state }) => (state.data?.data.some(isRunning) ? RUN_POLL_MS : false),
  })
  return (
    <div className="flex flex-col gap-5">
      <Heading evaluationId={evaluationId} run={runs.data?.data.length !== 0 && run} />
      <Loaded query={runs} skeleton={<TableSkeleton columns={6} rows={4} />}>
        {({ data: all }) =>
          all.length === 0 ? (
            <Empty icon={Gauge} title={t('runs.emptyTitle')} action={run}>
              {t('runs.empty')}
            </Empty>
          ) : (
            <>
              <History runs={all} />
              <RunTable runs={all} chosen={runId ?? all[0]?.id} />
              <MeasuresHelp />
              {(runId ?? all[0]?.id) && (
                <RunDetails
                  key={runId}
                  runs={all}
                  runId={runId ?? all[0]?.id ?? ''}
                  evaluationId={evaluationId}
                />
              )}
            </>
          )
        }
      </Loaded>
      <StartRun evaluationId={evaluationId} open={isStarting} onClose={() => setStarting(false)} />
    </div>
  )
}

function Heading({ evaluationId, run }: { evaluationId: string; run: ReactNode }) {
  const { may } = useHere()
  const { base } = useKnowledgeBase()
  const navigate = useNavigate()
  const query = { kb_id: base.id, evaluation_id: evaluationId }
  const evaluation = useQuery(read('GET /api/kb/evaluations/get', query))
  const name = evaluation.data?.name ?? knownName('GET /api/kb/evaluations/list', evaluationId)
  const deletion = useDelete('DELETE /api/kb/evaluations/delete', ['GET /api/kb/evaluations/list'])
  const remove = () => {
    deletion([evaluationId], t('deleted'), { query })
    void navigate({ to: '/knowledge/$kbId/evaluations', params: { kbId: base.id } })
  }
  return (
    <header className="flex flex-wrap items-end justify-between gap-3">
      <div className="min-w-0">
        <Back to="/knowledge/$kbId/evaluations" params={{ kbId: base.id }}>
          {t('back')}
        </Back>
        {name === undefined && evaluation.isPending ? (
          <Skeleton className="h-7 w-56" />
        ) : (
          <h2 className="text-lg font-semibold break-words">{name ?? t('title')}</h2>
        )}
        <p className="min-h-5 text-sm text-muted">
          {evaluation.data && t('questions', { count: evaluation.data.question_count })}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        {may('kb:delete') && (
          <Button icon={Trash2} onClick={remove}>
            {t('delete')}
          </Button>
        )}
        {run}
      </div>
    </header>
  )
}

/** Charts the metrics of all finished runs. Hidden if there are fewer than two. */
function History({ runs }: { runs: readonly EvaluationRun[] }) {
  const done = runs.filter(({ metrics }) => metrics !== null).toReversed()
  if (done.length < 2) return null
  return (
    <Section title={t('runs.overTime')} description={t('runs.overTimeHint')}>
      <LineChart
        label={t('runs.overTimeLabel')}
        labels={done.map(({ id }) => t('runs.number', { number: numberOf(runs, id) }))}
        series={[
          { name: t('measures.recall'), values: done.map(({ metrics }) => metrics?.recall_at_k ?? null) },
          { name: t('measures.mrr'), values: done.map(({ metrics }) => metrics?.mrr ?? null) },
          { name: t('measures.ndcg'), values: done.map(({ metrics }) => metrics?.ndcg_at_10 ?? null) },
        ]}
      />
    </Section>
  )
}
