import type { EvaluationRun } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { SelectField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { useKnowledgeBase } from './knowledge-base-context.tsx'
import { Pages } from './pages.tsx'
import { QuestionResults } from './question-results.tsx'
import { RunMeasures } from './run-measures.tsx'
import { isRunning, numberOf, RUN_POLL_MS, settingsOf } from './run-table.tsx'

const t = translator('evaluations')

const PAGE_SIZE = 50

interface RunDetailsProps {
  runs: readonly EvaluationRun[]
  runId: string
  evaluationId: string
}

/**
 * A run's metrics and the results of each question. If another run is selected, shows the differences from that run.
 */
export function RunDetails({ runs, runId, evaluationId }: RunDetailsProps) {
  const { base } = useKnowledgeBase()
  const { against, page = 1 } = useSearch({ from: '/app/knowledge/$kbId/evaluations/$evaluationId' })
  const navigate = useNavigate()
  const asked = { kb_id: base.id, page, limit: PAGE_SIZE }
  const run = useQuery({
    ...read('GET /api/kb/evaluations/get_run', { ...asked, run_id: runId }),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (state.data && isRunning(state.data) ? RUN_POLL_MS : false),
  })
  const other = useQuery({
    ...read('GET /api/kb/evaluations/get_run', { ...asked, run_id: against ?? '' }),
    enabled: against !== undefined,
    placeholderData: (before) => before,
  })
  const evaluation = useQuery(
    read('GET /api/kb/evaluations/get', { kb_id: base.id, evaluation_id: evaluationId }),
  )
  const show = (search: { against?: string; page?: number }) =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...search }) })
  const compared = against === undefined ? undefined : other.data
  return (
    <Loaded query={run}>
      {(shown) => (
        <Section
          title={t('runs.title', { number: String(numberOf(runs, shown.id)) })}
          description={settingsOf(shown)}
          actions={
            <Compared runs={runs} runId={runId} against={against} onChange={(id) => show({ against: id })} />
          }
        >
          <p role="status" className={isRunning(shown) ? 'text-sm text-muted' : 'sr-only'}>
            {isRunning(shown)
              ? t('runs.progress', {
                  done: shown.total,
                  total: evaluation.data?.question_count ?? 0,
                })
              : t('runs.ended')}
          </p>
          {shown.metrics && (
            <RunMeasures
              metrics={shown.metrics}
              before={compared?.metrics ?? null}
              settings={shown.settings}
            />
          )}
          {shown.results.length > 0 && evaluation.data && (
            <QuestionResults
              kbId={base.id}
              results={shown.results}
              before={compared?.results}
              questions={evaluation.data.questions.slice((page - 1) * PAGE_SIZE)}
              first={(page - 1) * PAGE_SIZE + 1}
            />
          )}
          <Pages
            of="questions"
            page={page}
            limit={PAGE_SIZE}
            total={shown.total}
            onChange={(to) => show({ page: to })}
          />
        </Section>
      )}
    </Loaded>
  )
}

interface ComparedProps {
  runs: readonly EvaluationRun[]
  runId: string
  against: string | undefined
  onChange: (against: string | undefined) => void
}

function Compared({ runs, runId, against, onChange }: ComparedProps) {
  const others = runs.filter(({ id, metrics }) => id !== runId && metrics !== null)
  if (others.length === 0) return null
  return (
    <div className="w-64 max-w-full">
      <SelectField
        label={t('runs.compare')}
        value={against ?? ''}
        onChange={({ target }) => onChange(target.value || undefined)}
      >
        <option value="">{t('runs.noComparison')}</option>
        {others.map((run) => (
          <option key={run.id} value={run.id}>
            #{numberOf(runs, run.id)} · {settingsOf(run)}
          </option>
        ))}
      </SelectField>
    </div>
  )
}
